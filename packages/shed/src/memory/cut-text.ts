/** What is shown of a text at least, however little room is left for it. */
const leastText = 1_000;

/** A text as far as there is room for it, in whole characters; `...` stands for the rest. */
export function cutText(text: string, room: number): string {
  const most = Math.max(Math.floor(room), leastText);
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}...`;
}

/** A document without its first heading, which says what it is. */
export function withoutHeading(text: string): string {
  return text.replace(/^# .*\n/, "").trim();
}
