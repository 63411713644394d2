CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
 prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0,
 updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL default '[]', model TEXT,
 created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 0,
 created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL);

INSERT INTO sessions VALUES ('new', NULL, 'Tidy up', 12, 5000, 60, 1.5, 1767225700, 1767225600, 's2');
INSERT INTO sessions VALUES ('old', NULL, 'Before', 1, 0, 0, 0, 1767225000, 1767225000, NULL);
INSERT INTO sessions VALUES ('a1$$call_2', 'new', 'a subagent', 1, 0, 0, 0, 1767225800, 1767225800, NULL);
INSERT INTO files VALUES ('f1', 'new', 'a.go', 'package a', 0, 1767225600, 1767225600);

INSERT INTO messages VALUES ('u0', 'old', 'user', '[{"type":"text","data":{"text":"another time"}}]', '', 1767225000123, 0, NULL, NULL, 0);
INSERT INTO messages VALUES ('x1', 'a1$$call_2', 'user', '[{"type":"text","data":{"text":"for the subagent"}}]', '', 1767225800, 0, NULL, NULL, 0);

INSERT INTO messages VALUES ('u1', 'new', 'user', '[{"type":"text","data":{"text":"tidy up"}},{"type":"binary","data":{"Path":"a.png","MIMEType":"image/png","Data":"aGk="}},{"type":"binary","data":{"Path":"a.txt","MIMEType":"text/plain","Data":"aGk="}},{"type":"binary","data":{"Path":"a.pdf","MIMEType":"application/pdf","Data":"aGk="}},{"type":"image_url","data":{"url":"data:image/png;base64,aGk="}},{"type":"image_url","data":{"url":"https://example.com/a.png"}},{"type":"finish","data":{"reason":"stop","time":0}}]', '', 1767225601, 0, NULL, NULL, 0);
INSERT INTO messages VALUES ('a1', 'new', 'assistant', '[{"type":"tool_call","data":{"id":"call_1","name":"ls","input":"{\"path\": \".\"}","finished":true}},{"type":"reasoning","data":{"thinking":"Look first.","signature":"EqQB"}},{"type":"text","data":{"text":"I look."}},{"type":"tool_call","data":{"id":"call_2","name":"agent","input":"","finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1767225602}}]', 'claude-sonnet-4-5', 1767225602, 0, NULL, 'anthropic', 0);
INSERT INTO messages VALUES ('t1', 'new', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"call_1","name":"","content":"a.go","metadata":"","is_error":false}},{"type":"tool_result","data":{"tool_call_id":"call_2","name":"agent","content":"nothing","is_error":true,"data":"aGk=","mime_type":"image/png"}},{"type":"finish","data":{"reason":"stop","time":0}}]', '', 1767225602, 0, NULL, 'anthropic', 0);
INSERT INTO messages VALUES ('a2', 'new', 'assistant', '[{"type":"text","data":{"text":""}},{"type":"finish","data":{"reason":"error","time":1767225603,"message":"API Error","details":"overloaded"}}]', 'gpt-5', 1767225603, 0, NULL, 'openai', 0);
INSERT INTO messages VALUES ('s1', 'new', 'assistant', '[{"type":"text","data":{"text":"First summary."}},{"type":"finish","data":{"reason":"end_turn","time":1767225604}}]', 'gpt-5', 1767225604, 0, NULL, 'openai', 1);
INSERT INTO messages VALUES ('s2', 'new', 'assistant', '[{"type":"text","data":{"text":"Second summary."}},{"type":"finish","data":{"reason":"end_turn","time":1767225605}}]', 'gpt-5', 1767225605, 0, NULL, 'openai', 0);
INSERT INTO messages VALUES ('s3', 'new', 'assistant', '[]', 'gpt-5', 1767225606, 0, NULL, 'openai', 1);
INSERT INTO messages VALUES ('u2', 'new', 'user', '[{"type":"text","data":{"text":"go on"}}]', '', 1767225607, 0, NULL, NULL, 0);
INSERT INTO messages VALUES ('a3', 'new', 'assistant', '[{"type":"tool_call","data":{"id":"call_3","name":"edit","input":"{\"pa","finished":false}}]', 'gpt-5', 1767225608, 0, NULL, 'openai', 0);
INSERT INTO messages VALUES ('a4', 'new', 'assistant', '[{"type":"tool_call","data":{"id":"call_4","name":"rm","input":"{}","finished":true}},{"type":"finish","data":{"reason":"permission_denied","time":1767225609,"message":"Permission denied"}}]', 'gpt-5', 1767225609, 0, NULL, 'openai', 0);
INSERT INTO messages VALUES ('t4', 'new', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"call_4","name":"rm","content":"Permission denied","is_error":true}},{"type":"shrug","data":{}}]', '', 1767225609, 0, NULL, NULL, 0);
INSERT INTO messages VALUES ('a5', 'new', 'assistant', '[{"type":"text","data":{"text":"Then not"}},{"type":"finish","data":{"reason":"max_tokens","time":1767225610}}]', 'gpt-5', 1767225610, 0, NULL, 'openai', 0);
INSERT INTO messages VALUES ('a6', 'new', 'assistant', '[{"type":"text","data":{"text":"I st"}},{"type":"finish","data":{"reason":"canceled","time":1767225611}}]', 'gpt-5', 1767225611, 0, NULL, 'openai', 0);
INSERT INTO messages VALUES ('z1', 'new', 'system', '[]', '', 1767225612, 0, NULL, NULL, 0);
INSERT INTO messages VALUES ('z2', 'new', 'user', '[{"type":', '', 1767225613, 0, NULL, NULL, 0);
