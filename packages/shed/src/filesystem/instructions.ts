/** What a model is told of the file tools. Each line that begins with `{` is an input that works as it stands. */
export const filesystemInstructions = `You read and change files below one folder, the base. A path is relative to the base, or absolute. Permissions decide what is allowed where;
some changes need a person's yes, which is asked for by itself. A denial is final for this command: do not try the same by another way. Symbolic links are
never followed.

run_file_command runs commands. It is no shell: \`value\` is a list of [text, tag] pairs, each text is taken exactly as it is, and quotes,
variables, redirections and substitutions do not exist.
- CMD begins a command: cp mv pwd cat head tail wc tee touch mkdir grep rg ls find diff gio rm.
- FLG is one option, never two in one text; \`--\` ends options. Options come before operands. A value is the next pair: [["-n","FLG"],["5","ARG"]].
- PTH is a path, ARG is anything else: a search pattern, a number, text for tee, - for the piped input.
- CTL joins commands: && goes on after success, || after failure, ; always, | pipes the output into the next command.
In a PTH that is read, * matches within a name, and **/ once stands for any number of folders; hidden names only match a pattern that begins with
a dot. A pattern that matches nothing fails. Destinations are literal.

List a folder, and find files by name:
{"value":[["ls","CMD"],["-l","FLG"],["notes","PTH"]]}
{"value":[["find","CMD"],["notes","PTH"],["-name","FLG"],["*.md","ARG"]]}
Read files, whole or in part:
{"value":[["cat","CMD"],["-n","FLG"],["notes/today.md","PTH"]]}
{"value":[["head","CMD"],["-n","FLG"],["20","ARG"],["notes/**/*.md","PTH"]]}
{"value":[["tail","CMD"],["-n","FLG"],["5","ARG"],["notes/today.md","PTH"]]}
Search: use rg, and grep when rg is not installed (exit 127):
{"value":[["rg","CMD"],["-n","FLG"],["TODO","ARG"],["notes","PTH"],["||","CTL"],["grep","CMD"],["-r","FLG"],["-n","FLG"],["TODO","ARG"],["notes","PTH"]]}
Count, compare, and pass output on:
{"value":[["cat","CMD"],["notes/today.md","PTH"],["|","CTL"],["wc","CMD"],["-l","FLG"]]}
{"value":[["diff","CMD"],["-u","FLG"],["notes/today.md","PTH"],["notes/plan.md","PTH"],["||","CTL"],["pwd","CMD"]]}
Write a new file, or add to one (-a); without -a tee replaces what is there, and without a text or a pipe the file is empty:
{"value":[["tee","CMD"],["A new file.\\n","ARG"],["notes/new.md","PTH"]]}
{"value":[["tee","CMD"],["-a","FLG"],["A line.\\n","ARG"],["notes/today.md","PTH"]]}
Make folders and empty files:
{"value":[["mkdir","CMD"],["-p","FLG"],["drafts/old","PTH"],["&&","CTL"],["touch","CMD"],["drafts/empty.md","PTH"]]}
Copy and move; with -t the folder comes first:
{"value":[["cp","CMD"],["-r","FLG"],["notes","PTH"],["drafts/copy","PTH"]]}
{"value":[["mv","CMD"],["-t","FLG"],["drafts/old","PTH"],["notes/plan.md","PTH"],["notes/new.md","PTH"]]}
Remove; gio trash keeps what it removes in the trash:
{"value":[["rm","CMD"],["-r","FLG"],["drafts/copy","PTH"],[";","CTL"],["rm","CMD"],["-f","FLG"],["drafts/empty.md","PTH"]]}
{"value":[["gio","CMD"],["trash","ARG"],["drafts/old/plan.md","PTH"]]}

The report begins with \`Overall: success\` or \`Overall: failure\` and the last exit status, then tells what was asked or denied, then shows each command
that ran between \`--- begin:\` and \`--- end:\`. Exit 1 of grep, rg and diff means: nothing found, or different. Nothing is undone after a failure. More than
100,000 characters of output are not shown: use head, tail or a narrower search. Each command has 60 seconds. Options other than the usual short
and long ones are refused by name, with the list of those that are taken.

apply_patch changes one file by its text. Prefer it to tee for an edit. old_string must stand in the file exactly once, with its spaces and line
ends; take enough of the lines around it, or set replace_all. An empty old_string writes the whole file and makes its folders:
{"path":"notes/today.md","old_string":"Buy milk","new_string":"Buy oat milk"}
{"path":"notes/today.md","old_string":"TODO","new_string":"DONE","replace_all":true}
{"path":"site/index.html","old_string":"","new_string":"<p>Hello</p>\\n"}`;
