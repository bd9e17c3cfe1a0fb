# Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it.

require "openssl"
require "webrick"

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 257 * 1024
MAX_IDS = 10_000

# Whether a delivery is authentic. `body` is the raw bytes, which the signature covers.
def verify(body, headers, keys)
  id, timestamp, signatures = %w[wh-id wh-timestamp wh-signature].map { |name| headers[name].to_s }
  return false if [id, timestamp, signatures].any?(&:empty?)
  return false unless timestamp.match?(/\A\d{1,15}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  content = "#{id}.#{timestamp}.".b + body.b
  expected = keys.map { |key| [OpenSSL::HMAC.digest("SHA256", key, content)].pack("m0") }
  signatures.split(" ").filter { |pair| pair.start_with?("v1,") }.any? do |pair|
    expected.any? { |signature| OpenSSL.secure_compare(pair.delete_prefix("v1,"), signature) }
  end
end

# Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer.
def process(id, body)
  $stdout.write("#{id} ".b + body.b + "\n")
  $stdout.flush
end

# Lost with the process. Better: a unique column for the id, in the transaction that stores the event.
PROCESSED = {}
LOCK = Mutex.new

# Deliveries can repeat. If `process` fails, the id is not remembered, and the retry is processed.
def process_once(id, body)
  LOCK.synchronize do
    return if PROCESSED.key?(id)

    process(id, body)
    PROCESSED[id] = true
    PROCESSED.shift if PROCESSED.size > MAX_IDS
  end
end

def receive(request, keys)
  return 413 if request.content_length > MAX_BODY_BYTES

  body = request.body.to_s
  return 400 unless verify(body, request, keys)

  # The test of a webhook tells of no event.
  process_once(request["wh-id"], body) unless request["wh-test"] == "true"
  204
rescue StandardError => e
  warn e.full_message
  500
end

# During a rotation: the old and the new secret, separated by a space.
secrets = ENV.fetch("WEBHOOK_SECRET", "").split
unless secrets.any? && secrets.all?(/\Awhsec_.+\z/)
  abort "Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…"
end
keys = secrets.map { |secret| secret.delete_prefix("whsec_").unpack1("m0") }
server = WEBrick::HTTPServer.new(
  BindAddress: "127.0.0.1", Port: ENV.fetch("PORT", 3000), AccessLog: [], RequestTimeout: 15
)
server.mount_proc("/") do |request, response|
  response.status = receive(request, keys)
  response.keep_alive = false
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start
