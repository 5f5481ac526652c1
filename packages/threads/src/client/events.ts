/** A run of text begins. */
export interface AgentStartTextEvent {
  readonly type: "text_start";
  readonly message_sequence_num: number;
}

/** The next piece of a run of text. */
export interface AgentTextDeltaEvent {
  readonly type: "text_delta";
  readonly message_sequence_num: number;
  readonly text: string;
}

/** A run of text is over. */
export interface AgentTextEndEvent {
  readonly type: "text_end";
  readonly message_sequence_num: number;
}

/** The model called a tool. */
export interface AgentToolUseEvent {
  readonly type: "tool_use";
  readonly message_sequence_num: number;
  readonly name: string;
  readonly tool_use_id: string;
  readonly input: Record<string, unknown> | null;
}

/** A tool answered; `success` is true for the status `success` alone. */
export interface AgentToolResultEvent {
  readonly type: "tool_result";
  readonly message_sequence_num: number;
  readonly name: string;
  readonly tool_use_id: string;
  readonly success: boolean;
  readonly output: Record<string, unknown> | null;
  readonly runtime_ms: number;
}

/** A generation failed or was cancelled. */
export interface AgentErrorEvent {
  readonly type: "error";
  readonly message_sequence_num: number;
  readonly error_message: string;
  readonly error_code: string | null;
}

/** What is seen of a thread while it works, told apart by `type`. */
export type AgentEvent =
  | AgentStartTextEvent
  | AgentTextDeltaEvent
  | AgentTextEndEvent
  | AgentToolUseEvent
  | AgentToolResultEvent
  | AgentErrorEvent;
