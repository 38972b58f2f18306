// The operations of a Redis session store, each as one atomic script. All keys begin with ARGV[1]:
//
//   s:<session>   string       the session; expires on its own
//   t:<token>     string       digits of its session, a blank, the token; expires on its own
//   b:<session>   sorted set   the tokens of a session → milliseconds of their expiry; expires with it
//   n:<user>      sorted set   the known networks of a user → milliseconds of their expiry
//   all           sorted set   sessions → milliseconds of their expiry, to count them
//
// Lifetimes use the clock of Redis, which all servers share.

const shared = `
local space = ARGV[1]
local all = space .. 'all'
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function prune()
  redis.call('ZREMRANGEBYSCORE', all, '-inf', now())
end
local function finish(session)
  local bound = space .. 'b:' .. session
  while true do
    local tokens = redis.call('ZRANGE', bound, 0, 999)
    if #tokens == 0 then break end
    for at, token in ipairs(tokens) do tokens[at] = space .. 't:' .. token end
    redis.call('UNLINK', unpack(tokens))
    redis.call('ZREMRANGEBYRANK', bound, 0, #tokens - 1)
  end
  redis.call('UNLINK', space .. 's:' .. session, bound)
  redis.call('ZREM', all, session)
end
`;

export const sessionScripts = {
  /** ARGV: space, session. Returns the session or nil. */
  find: `return redis.call('GET', ARGV[1] .. 's:' .. ARGV[2])`,

  /** ARGV: space, token. Returns the token and its session, or nil. */
  findByToken: `
local token = redis.call('GET', ARGV[1] .. 't:' .. ARGV[2])
if not token then return false end
local session = redis.call('GET', ARGV[1] .. 's:' .. string.sub(token, 1, 64))
return session and {string.sub(token, 66), session}`,

  /**
   * ARGV: space, session, its text, milliseconds to live, the session before or ''. Returns 1, or 0 if the
   * session before does not exist.
   */
  begin: `${shared}
local session, text, ttl, before = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
if before ~= '' and redis.call('EXISTS', space .. 's:' .. before) == 0 then return 0 end
redis.call('SET', space .. 's:' .. session, text, 'PX', ttl)
redis.call('ZADD', all, now() + ttl, session)
if before ~= '' then finish(before) end
prune()
return 1`,

  /**
   * ARGV: space, token, its text, milliseconds to live, its session, most tokens of one. Returns 1, or 0 if
   * the session does not exist.
   */
  addToken: `${shared}
local token, text, ttl, session, most = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
local left = redis.call('PTTL', space .. 's:' .. session)
if left < 0 then return 0 end
local bound = space .. 'b:' .. session
redis.call('SET', space .. 't:' .. token, session .. ' ' .. text, 'PX', ttl)
redis.call('ZREMRANGEBYSCORE', bound, '-inf', now())
while redis.call('ZCARD', bound) >= most do
  local first = redis.call('ZRANGE', bound, 0, 0)[1]
  redis.call('UNLINK', space .. 't:' .. first)
  redis.call('ZREM', bound, first)
end
redis.call('ZADD', bound, now() + ttl, token)
redis.call('PEXPIRE', bound, left)
return 1`,

  /** ARGV: space, token, session. */
  removeToken: `
redis.call('UNLINK', ARGV[1] .. 't:' .. ARGV[2])
return redis.call('ZREM', ARGV[1] .. 'b:' .. ARGV[3], ARGV[2])`,

  /** ARGV: space, session. Removes it and all its tokens. */
  finish: `${shared}
finish(ARGV[2])
return 1`,

  /**
   * ARGV: space, least expiry, count. Returns key, expiry and text of that many sessions, each '' if it is
   * gone.
   */
  page: `
local found = redis.call('ZRANGEBYSCORE', ARGV[1] .. 'all', ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
local page = {}
for at = 1, #found, 2 do
  page[#page + 1] = found[at]
  page[#page + 1] = found[at + 1]
  page[#page + 1] = redis.call('GET', ARGV[1] .. 's:' .. found[at]) or ''
end
return page`,

  /** ARGV: space, user, network. Returns the expiry of a known network, or nil. */
  findNetwork: `return redis.call('ZSCORE', ARGV[1] .. 'n:' .. ARGV[2], ARGV[3])`,

  /** ARGV: space, user, network, its expiry, milliseconds to live, most networks of one user. */
  rememberNetwork: `
local networks = ARGV[1] .. 'n:' .. ARGV[2]
redis.call('ZADD', networks, ARGV[4], ARGV[3])
redis.call('ZREMRANGEBYRANK', networks, 0, -1 - ARGV[6])
redis.call('PEXPIRE', networks, ARGV[5])
return 1`,

  /** ARGV: space. Returns the number of sessions. */
  count: `${shared}
prune()
return redis.call('ZCARD', all)`,

  /** ARGV: space, any value. Writes the value, returns it, and leaves nothing behind. */
  check: `
local key = ARGV[1] .. 'check'
redis.call('SET', key, ARGV[2], 'PX', 1000)
redis.call('PTTL', ARGV[1] .. 'all')
redis.call('ZCARD', ARGV[1] .. 'all')
local value = redis.call('GET', key)
redis.call('UNLINK', key)
return value`,
} as const;

export type SessionScript = keyof typeof sessionScripts;
