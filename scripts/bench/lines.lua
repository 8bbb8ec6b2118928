-- wrk script: sends the requests of a file, one after the other, and prints the results as JSON on the last line.
--   LINES   a file of requests: method, path and body, separated by tabs. $n in a body becomes the number of the request,
--           and $v the next of VALUES (separated by commas) each time the file is through, so that a write always changes
--           something.
local lines, values, n = {}, {}, 0

function init()
  for line in io.lines(os.getenv("LINES")) do
    local method, path, body = line:match("^(%S+)\t(%S+)\t?(.*)$")
    lines[#lines + 1] = { method, path, body }
  end
  for value in (os.getenv("VALUES") or ""):gmatch("[^,]+") do values[#values + 1] = value end
  wrk.headers["Authorization"] = "Bearer " .. (os.getenv("TOKEN") or "")
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  local line = lines[n % #lines + 1]
  local value = values[math.floor(n / #lines) % math.max(#values, 1) + 1]
  n = n + 1
  if line[3] == "" then return wrk.format(line[1], line[2]) end
  return wrk.format(line[1], line[2], nil, (line[3]:gsub("$n", n):gsub("$v", value or "")))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"per_s":%.1f,"p50_ms":%.3f,"p99_ms":%.3f,"requests":%d,"failed":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    summary.requests, errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
