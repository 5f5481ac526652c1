/** What a command reaches files through. */
export interface FileAccess {
  /** Where relative paths start: absolute, without links. */
  readonly base: string;
  /** Gives back what is held open. */
  close(): void;
}
