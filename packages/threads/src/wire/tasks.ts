import { z } from "zod";
import { AgentSubtaskStatus, AgentTaskStatus, open } from "./enums.ts";

/** The call that changed a task: a block of a message. */
export const taskBoundarySchema = z.object({
  message_sequence_num: z.number(),
  content_sequence_num: z.number(),
});
export type AgentTaskBoundary = z.output<typeof taskBoundarySchema>;

export const subtaskSchema = z.object({ title: z.string(), status: open(AgentSubtaskStatus) });
export type AgentSubtask = z.output<typeof subtaskSchema>;

/** A task that the agent set itself; at most one of a thread is in progress. */
export const taskSchema = z.object({
  task_id: z.number(),
  position: z.number(),
  title: z.string(),
  status: open(AgentTaskStatus),
  description: z.string().nullable().default(null),
  conclusion: z.string().nullable().default(null),
  /** When it was last taken up. */
  start: taskBoundarySchema.nullable().default(null),
  /** When it was completed. */
  end: taskBoundarySchema.nullable().default(null),
  subtasks: z.array(subtaskSchema).default([]),
});
export type AgentTask = z.output<typeof taskSchema>;
