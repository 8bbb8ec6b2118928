-- wrk script: takes its requests from the environment, and prints the results as JSON on the last line.
--   KIND   get | create | stage | close | url | paths
--   IDS    a file with one deal id (or path) per line;  VALUES  ids of stages or of a reason, separated by commas
local kind = os.getenv("KIND")
local ids, values, n = {}, {}, 0

function init()
  local file = os.getenv("IDS")
  if file and file ~= "" then for line in io.lines(file) do ids[#ids + 1] = line end end
  for value in (os.getenv("VALUES") or ""):gmatch("[^,]+") do values[#values + 1] = value end
  wrk.headers["Authorization"] = "Bearer " .. (os.getenv("TOKEN") or "")
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  n = n + 1
  if kind == "url" then return wrk.format("GET") end
  if kind == "create" then
    local body = '{"title":"Rollout of ' .. n .. ' seats","amount":' .. (n % 90000) .. '.5,"currency":"EUR"}'
    return wrk.format("POST", "/api/v1/deals", nil, body)
  end
  if kind == "paths" then return wrk.format("GET", "/api/v1" .. ids[(n - 1) % #ids + 1]) end
  local path = "/api/v1/deals/" .. ids[(n - 1) % #ids + 1]
  if kind == "get" then return wrk.format("GET", path) end
  if kind == "title" then return wrk.format("PATCH", path, nil, '{"title":"Changed ' .. n .. '"}') end
  if kind == "close" then
    return wrk.format("POST", path .. "/close", nil, '{"reason_id":"' .. values[1] .. '"}')
  end
  -- each round moves every deal to the next stage, so that every request is a change
  local round = math.floor((n - 1) / #ids)
  return wrk.format("PATCH", path, nil, '{"stage":"' .. values[round % #values + 1] .. '"}')
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"per_s":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"requests":%d,"failed":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.requests, errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
