/** What a shell takes for one word, whatever is in it. */
function word(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command line that goes on with a run, as it can be typed. */
export function resumeCommand({
  module,
  storePath,
  exportName,
  model,
}: {
  readonly module: string;
  readonly storePath: string;
  readonly exportName?: string | undefined;
  readonly model?: string | undefined;
}): (runId: string) => string {
  const options = [
    ["--store", storePath],
    ...(exportName === undefined ? [] : [["--export", exportName]]),
    ...(model === undefined ? [] : [["--model", model]]),
  ];
  return (runId) => ["roboz", "runs", "resume", runId, module, ...options.flat()].map(word).join(" ");
}
