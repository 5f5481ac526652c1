// Opens many streams of one thread, says so, and says it again when all of them have ended.
import { request } from "node:http";

const [url = "", token = "", path = "", count = "0"] = process.argv.slice(2);
const total = Number(count);
let open = 0;
let ended = 0;

for (let index = 0; index < total; index += 1) {
  await new Promise<void>((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { headers: { authorization: `Bearer ${token}` }, agent: false },
      (response) => {
        if (response.statusCode !== 200)
          throw new Error(`A stream was answered with ${String(response.statusCode)}`);
        open += 1;
        response.resume();
        response.once("end", () => {
          ended += 1;
          if (ended === total) {
            process.stdout.write("ended\n");
            process.exit();
          }
        });
        resolve();
      },
    );
    sent.once("error", reject);
    sent.end();
  });
}
process.stdout.write(`open ${String(open)}\n`);
