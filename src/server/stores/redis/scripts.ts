// Operations of a Redis store, each as one atomic step. Entries are plain keys with their own expiry; four
// more keys record them, so that all processes share one account:
//
//   used   sorted set   member → microseconds of its last use
//   names  sorted set   members in the order of their text, to find all of a group or name
//   sizes  hash         member → bytes; total → their sum
//   ends   sorted set   member → microseconds of its expiry
//
// A member is `<hash of group>:<hash of the name's rest>:<hash of variant>`. An entry that is not in `sizes`
// does not count: so whatever Redis itself evicts or expires, a purge finds everything that can still be
// read, and the account is repaired on access.

/** Names of the four keys, in the order of KEYS. */
export const accountKeys = ["used", "names", "sizes", "ends"] as const;

/**
 * ARGV[1] is the prefix of the keys of all entries. The clock is that of Redis, which all processes share.
 */
const shared = `
local used, names, sizes, ends = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local entries = ARGV[1]
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function forget(member)
  local size = redis.call('HGET', sizes, member)
  if size then redis.call('HINCRBY', sizes, 'total', -size) end
  redis.call('HDEL', sizes, member)
  redis.call('ZREM', used, member)
  redis.call('ZREM', names, member)
  redis.call('ZREM', ends, member)
end
local function drop(member)
  local there = redis.call('UNLINK', entries .. member)
  forget(member)
  return there
end
local function reap(most)
  local over = redis.call('ZRANGEBYSCORE', ends, '-inf', now(), 'LIMIT', 0, most)
  for _, member in ipairs(over) do drop(member) end
  return #over
end
-- Where Redis evicted one of the four keys, the others are worth nothing.
local function begin_anew_unless_sound()
  local known = redis.call('HLEN', sizes)
  local count = redis.call('ZCARD', used)
  if count ~= redis.call('ZCARD', names) or (known ~= count + 1 and known + count > 0) then
    redis.call('UNLINK', used, names, sizes, ends)
  end
end
local function total()
  return tonumber(redis.call('HGET', sizes, 'total') or 0)
end
`;

/**
 * Writes an entry. ARGV: entries, member, value, its size, milliseconds to live (0: forever), most bytes of
 * all. Returns 1 if it is stored.
 */
const put = `
-- Writes nothing, and fails where Redis has no memory left: it asks no more once a script has written.
redis.call('ZADD', used, 'XX', 0, '')
begin_anew_unless_sound()
reap(100)
drop(member)
if size > most then return 0 end
while total() + size > most do
  local oldest = redis.call('ZRANGE', used, 0, 0)[1]
  if not oldest then
    redis.call('UNLINK', used, names, sizes, ends)
    break
  end
  drop(oldest)
end
local time = now()
if ttl > 0 then
  redis.call('SET', entries .. member, value, 'PX', ttl)
  redis.call('ZADD', ends, time + ttl * 1000, member)
else
  redis.call('SET', entries .. member, value)
end
redis.call('ZADD', used, time, member)
redis.call('ZADD', names, 0, member)
redis.call('HSET', sizes, member, size)
redis.call('HINCRBY', sizes, 'total', size)
return 1`;

/** The arguments of both scripts that write an entry. */
const written = `
local member, value = ARGV[2], ARGV[3]
local size, ttl, most = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])`;

export const redisScripts = {
  /** ARGV: entries, member. The stored value or nil. */
  get: `${shared}
local member = ARGV[2]
local value = redis.call('GET', entries .. member)
if not value then
  forget(member)
  return false
end
if redis.call('HEXISTS', sizes, member) == 0 then
  drop(member)
  return false
end
-- Without memory left this fails; the value is there all the same.
redis.pcall('ZADD', used, now(), member)
return value`,

  put: `${shared}${written}${put}`,

  /** As `put`, unless there is a value, which is -1. */
  add: `${shared}${written}
if redis.call('EXISTS', entries .. member) == 1 and redis.call('HEXISTS', sizes, member) == 1 then return -1 end
${put}`,

  /** ARGV: entries, member. The number removed. */
  remove: `${shared}
return drop(ARGV[2])`,

  /**
   * ARGV: entries, hash of a group or of a group and a rest, most members. How many were looked at, and how
   * many of them removed.
   */
  removeAll: `${shared}
local members = redis.call('ZRANGEBYLEX', names, '[' .. ARGV[2] .. ':', '(' .. ARGV[2] .. ';', 'LIMIT', 0, ARGV[3])
local removed = 0
for _, member in ipairs(members) do removed = removed + drop(member) end
return {#members, removed}`,

  /** ARGV: entries. Number of entries and their bytes. */
  usage: `${shared}
while reap(1000) == 1000 do end
return {redis.call('ZCARD', used), total()}`,

  /** ARGV: entries. From then on no entry is known. */
  forgetAll: `${shared}
redis.call('UNLINK', used, names, sizes, ends)
return 1`,

  /**
   * ARGV: entries, cursor (0 at first). Removes some of the keys that are no entries any more; the next
   * cursor, 0 at the end.
   */
  sweep: `${shared}
local found = redis.call('SCAN', ARGV[2], 'MATCH', entries .. '*', 'COUNT', 1000)
for _, key in ipairs(found[2]) do
  if redis.call('HEXISTS', sizes, string.sub(key, #entries + 1)) == 0 then redis.call('UNLINK', key) end
end
return tonumber(found[1])`,
} as const;

export type RedisScript = keyof typeof redisScripts;
