import type { Message } from "../values/message.ts";

/**
 * A conversation as one text, each message under its role as a heading. Images are not sent along: one with an address is
 * shown by it, an embedded one by a number.
 */
export function conversationText(messages: readonly Pick<Message, "role" | "content" | "images">[]): string {
  let embedded = 0;
  return messages
    .map(({ role, content, images }) => {
      const shown = images.map(({ url }) => {
        if (!/^data:/i.test(url)) return `[image: ${url}]`;
        embedded += 1;
        return `[embedded image ${embedded}]`;
      });
      return [`## ${role}`, "", content, ...shown].join("\n");
    })
    .join("\n\n");
}
