/** What makes the tables, version by version. A version that was released is never changed: the next one is added. */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE threads (
      thread_id TEXT PRIMARY KEY, org_id TEXT NOT NULL, created TEXT NOT NULL, created_by TEXT NOT NULL,
      created_by_principal TEXT, status TEXT NOT NULL, title TEXT, model_profile TEXT, agent_key TEXT NOT NULL,
      system_prompt TEXT, visibility TEXT NOT NULL, origin TEXT, analysis_scope TEXT, available_skills TEXT,
      forked_from_thread_id TEXT, forked_from_seq INTEGER, created_from_agent_id TEXT, created_from_trigger_id TEXT,
      last_activity TEXT NOT NULL, message_count INTEGER NOT NULL, log_head INTEGER NOT NULL,
      model_head INTEGER NOT NULL, next_task_id INTEGER NOT NULL, question TEXT, memory TEXT, deleted_at TEXT)`,
    `CREATE INDEX threads_by_activity ON threads (org_id, last_activity, thread_id)`,
    `CREATE INDEX threads_by_creator ON threads (created_by, last_activity)`,
    `CREATE TABLE messages (
      thread_id TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, status TEXT NOT NULL, created TEXT NOT NULL,
      turn_id TEXT, blocks INTEGER NOT NULL, PRIMARY KEY (thread_id, seq))`,
    `CREATE TABLE blocks (
      thread_id TEXT NOT NULL, seq INTEGER NOT NULL, block INTEGER NOT NULL, type TEXT NOT NULL, data TEXT NOT NULL,
      tool_use_id TEXT, PRIMARY KEY (thread_id, seq, block))`,
    `CREATE UNIQUE INDEX blocks_by_tool_use ON blocks (thread_id, tool_use_id, type) WHERE tool_use_id IS NOT NULL`,
    `CREATE TABLE thread_log (
      thread_id TEXT NOT NULL, pos INTEGER NOT NULL, kind TEXT NOT NULL, seq INTEGER, block INTEGER, data TEXT,
      PRIMARY KEY (thread_id, pos))`,
    `CREATE TABLE model_messages (
      thread_id TEXT NOT NULL, n INTEGER NOT NULL, seq INTEGER NOT NULL, since_seq INTEGER NOT NULL,
      until_seq INTEGER, data TEXT NOT NULL, PRIMARY KEY (thread_id, n))`,
    `CREATE TABLE thread_tools (
      thread_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, input_schema TEXT NOT NULL,
      declared_at_turn TEXT, ord INTEGER NOT NULL, PRIMARY KEY (thread_id, name))`,
    `CREATE TABLE turns (
      turn_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, org_id TEXT NOT NULL, queued_at TEXT NOT NULL,
      state TEXT NOT NULL, attempt INTEGER NOT NULL, reprompts_used INTEGER NOT NULL, steps_used INTEGER NOT NULL,
      spent_ms INTEGER NOT NULL, lease_token TEXT, lease_expires TEXT, worker TEXT,
      turn_trigger TEXT NOT NULL, client_context TEXT, error TEXT, position TEXT, finished TEXT)`,
    `CREATE UNIQUE INDEX turns_active ON turns (thread_id) WHERE state IN ('queued', 'running', 'waiting_client')`,
    `CREATE INDEX turns_queued ON turns (queued_at, turn_id) WHERE state = 'queued'`,
    `CREATE INDEX turns_running ON turns (lease_expires) WHERE state = 'running'`,
    `CREATE TABLE tool_calls (
      thread_id TEXT NOT NULL, tool_use_id TEXT NOT NULL, turn_id TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
      state TEXT NOT NULL, seq INTEGER NOT NULL, idempotent INTEGER NOT NULL, attempt INTEGER NOT NULL,
      started TEXT, finished TEXT, PRIMARY KEY (thread_id, tool_use_id))`,
    `CREATE INDEX tool_calls_by_turn ON tool_calls (turn_id)`,
    `CREATE TABLE turn_steps (
      turn_id TEXT NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (turn_id, n))`,
    `CREATE TABLE goals (
      thread_id TEXT NOT NULL, ord INTEGER NOT NULL, turn_id TEXT, goal_type TEXT NOT NULL, goal_data TEXT NOT NULL,
      status TEXT NOT NULL, declared_seq INTEGER NOT NULL, created TEXT NOT NULL, concluded_at TEXT,
      achieve_tool_use_id TEXT, PRIMARY KEY (thread_id, ord))`,
    `CREATE TABLE tasks (
      thread_id TEXT NOT NULL, task_id INTEGER NOT NULL, position INTEGER NOT NULL, data TEXT NOT NULL,
      PRIMARY KEY (thread_id, task_id))`,
    `CREATE TABLE feedback (
      feedback_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, seq INTEGER NOT NULL, user_id TEXT NOT NULL,
      org_id TEXT NOT NULL, created TEXT NOT NULL, modified TEXT NOT NULL, modified_by TEXT NOT NULL,
      sentiment TEXT NOT NULL, categories TEXT NOT NULL, notes TEXT, admin_label TEXT, admin_note TEXT,
      resolved INTEGER NOT NULL, resolved_by TEXT, resolved_at TEXT)`,
    `CREATE UNIQUE INDEX feedback_by_rater ON feedback (thread_id, seq, user_id)`,
    `CREATE TABLE pins (
      user_id TEXT NOT NULL, thread_id TEXT NOT NULL, pinned_at TEXT NOT NULL, PRIMARY KEY (user_id, thread_id))`,
    `CREATE TABLE subjects (
      thread_id TEXT NOT NULL, association_id TEXT NOT NULL, note TEXT, PRIMARY KEY (thread_id, association_id))`,
    `CREATE TABLE skills (
      skill_id TEXT PRIMARY KEY, org_id TEXT NOT NULL, accessibility TEXT NOT NULL, name TEXT NOT NULL,
      tags TEXT NOT NULL, created TEXT NOT NULL, created_by TEXT NOT NULL, modified TEXT NOT NULL)`,
    `CREATE UNIQUE INDEX skills_of_org ON skills (org_id, name) WHERE accessibility <> 'private'`,
    `CREATE UNIQUE INDEX skills_of_author ON skills (org_id, created_by, name) WHERE accessibility = 'private'`,
    `CREATE TABLE skill_versions (
      skill_id TEXT NOT NULL, version INTEGER NOT NULL, description TEXT NOT NULL, body TEXT NOT NULL,
      relevant_topics TEXT NOT NULL, created TEXT NOT NULL, modified TEXT NOT NULL, PRIMARY KEY (skill_id, version))`,
    `CREATE TABLE skill_subscriptions (
      user_id TEXT NOT NULL, skill_id TEXT NOT NULL, ai_version INTEGER, subscribed TEXT NOT NULL, PRIMARY KEY (user_id, skill_id))`,
    `CREATE TABLE agents (
      agent_id TEXT PRIMARY KEY, org_id TEXT NOT NULL, name TEXT NOT NULL, description TEXT,
      request_template TEXT NOT NULL, variables TEXT NOT NULL, created TEXT NOT NULL, created_by TEXT NOT NULL,
      modified TEXT NOT NULL, modified_by TEXT NOT NULL)`,
    `CREATE UNIQUE INDEX agents_of_org ON agents (org_id, name)`,
    `CREATE TABLE summaries (
      dataset_id TEXT NOT NULL, org_id TEXT NOT NULL, summary_id TEXT NOT NULL, text TEXT, thread_id TEXT,
      created TEXT NOT NULL, PRIMARY KEY (org_id, dataset_id))`,
    `CREATE TABLE idempotency (
      scope TEXT NOT NULL, idem_key TEXT NOT NULL, request_hash TEXT NOT NULL, status INTEGER NOT NULL,
      response TEXT NOT NULL, expires TEXT NOT NULL, PRIMARY KEY (scope, idem_key))`,
    `CREATE INDEX idempotency_by_end ON idempotency (expires)`,
    `CREATE TABLE api_tokens (
      token_hash TEXT PRIMARY KEY, token_id TEXT NOT NULL, principal TEXT NOT NULL, user_id TEXT NOT NULL,
      admin INTEGER NOT NULL, impersonate INTEGER NOT NULL, orgs TEXT NOT NULL, created TEXT NOT NULL, expires TEXT,
      revoked TEXT)`,
    `CREATE UNIQUE INDEX api_tokens_by_id ON api_tokens (token_id)`,
  ],
  [
    `ALTER TABLE turns ADD COLUMN waiting_since TEXT`,
    `UPDATE turns SET waiting_since = queued_at WHERE state = 'waiting_client'`,
    `CREATE INDEX turns_waiting ON turns (waiting_since) WHERE state = 'waiting_client'`,
    `CREATE INDEX messages_open ON messages (thread_id) WHERE status IN ('not_started', 'generating')`,
  ],
];
