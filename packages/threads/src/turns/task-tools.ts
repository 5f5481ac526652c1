import { tool, value, type AnyTool } from "@roboz/core";
import * as z from "zod";

import type { AgentTask, AgentTaskBoundary } from "../wire/tasks.ts";

/** The tasks of a turn's thread while a step works on them; kept when the step is. */
export interface TaskBook {
  tasks: AgentTask[];
  isChanged: boolean;
  /** The call that changes tasks now. */
  readonly boundary: () => AgentTaskBoundary;
  readonly takeId: () => number;
}

const taskState = value("task_state", { task_id: z.int(), status: z.string() });

/** What the tools take; made once, since each turn has tools of its own. */
const inputs = {
  create: z.object({
    title: z.string().min(1),
    description: z.string().optional(),
    subtasks: z.array(z.string()).optional(),
  }),
  start: z.object({ task_id: z.int() }),
  finish: z.object({ task_id: z.int(), subtask: z.int() }),
  complete: z.object({ task_id: z.int(), conclusion: z.string().min(1) }),
};

/** The names of the tools that tasks take. */
export const taskToolNames: readonly string[] = [
  "create_task",
  "start_task",
  "finish_subtask",
  "complete_task",
];

/** The tools by which an agent plans; what breaks a rule is an error that the model is shown. */
export function taskTools(book: TaskBook): readonly AnyTool[] {
  const find = (taskId: number): AgentTask => {
    const task = book.tasks.find(({ task_id }) => task_id === taskId);
    if (task === undefined) throw new Error(`there is no task ${taskId}`);
    return task;
  };
  const change = (task: AgentTask, changes: Partial<AgentTask>) => {
    const changed = { ...task, ...changes };
    book.tasks = book.tasks.map((one) => (one.task_id === task.task_id ? changed : one));
    book.isChanged = true;
    return taskState({ task_id: changed.task_id, status: changed.status });
  };
  return [
    tool({
      name: "create_task",
      description:
        "Note a task that the work consists of, with its subtasks. Work of one step needs no task.",
      input: inputs.create,
      output: taskState,
      run: ({ title, description, subtasks }) => {
        const task: AgentTask = {
          task_id: book.takeId(),
          position: book.tasks.length,
          title,
          status: "pending",
          description: description ?? null,
          conclusion: null,
          start: null,
          end: null,
          subtasks: (subtasks ?? []).map((one) => ({ title: one, status: "pending" })),
        };
        book.tasks = [...book.tasks, task];
        book.isChanged = true;
        return taskState({ task_id: task.task_id, status: task.status });
      },
    }),
    tool({
      name: "start_task",
      description: "Say that a task is worked on from now on. One task is in progress at a time.",
      input: inputs.start,
      output: taskState,
      run: ({ task_id: taskId }) => {
        const task = find(taskId);
        const other = book.tasks.find(({ status }) => status === "in_progress");
        if (other !== undefined)
          throw new Error(`task ${other.task_id} is in progress; complete it before another one is started`);
        if (task.status === "completed") throw new Error(`task ${taskId} is completed`);
        return change(task, { status: "in_progress", start: book.boundary() });
      },
    }),
    tool({
      name: "finish_subtask",
      description: "Say that a subtask is done; the first one is number 0.",
      input: inputs.finish,
      output: taskState,
      run: ({ task_id: taskId, subtask }) => {
        const task = find(taskId);
        if (task.subtasks[subtask] === undefined) throw new Error(`task ${taskId} has no subtask ${subtask}`);
        const subtasks = task.subtasks.map((one, index) =>
          index === subtask ? { ...one, status: "done" } : one,
        );
        return change(task, { subtasks });
      },
    }),
    tool({
      name: "complete_task",
      description: "Say that a task is done, with what came of it. All its subtasks have to be done.",
      input: inputs.complete,
      output: taskState,
      run: ({ task_id: taskId, conclusion }) => {
        const task = find(taskId);
        if (task.status !== "in_progress") throw new Error(`task ${taskId} is not in progress`);
        const open = task.subtasks.flatMap(({ status }, index) => (status === "done" ? [] : [index]));
        if (open.length > 0) throw new Error(`task ${taskId} has subtasks to be done: ${open.join(", ")}`);
        return change(task, { status: "completed", conclusion, end: book.boundary() });
      },
    }),
  ];
}
