-- What wrk prints at the end: one line of JSON that the experiments read.
done = function(summary, latency, _)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,' ..
    '"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration, e.connect, e.read, e.write, e.status, e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
