# Receives deliveries of Posthorn. README.md says how to run it.

require "openssl"
require "webrick"

SECRET = %r{\Awhsec_([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}[A-Za-z0-9+/=]=)?\z}

# Store the event here, with the id in a unique column: deliveries can repeat.
def process(id, body)
  $stdout.puts("#{id} #{body}")
  $stdout.flush
end

def authentic?(request, body, keys)
  id, timestamp, signatures = %w[wh-id wh-timestamp wh-signature].map { |name| request[name].to_s }
  return false if (Time.now.to_i - timestamp.to_i).abs > 300

  content = "#{id}.#{timestamp}.".b + body
  expected = keys.map { |key| "v1,#{[OpenSSL::HMAC.digest("SHA256", key, content)].pack("m0")}" }
  signatures.split.product(expected).any? { |given, own| OpenSSL.secure_compare(given, own) }
end

def receive(request, keys)
  body = "".b
  request.body { |part| return 413 if (body << part).bytesize > 257 * 1024 }
  return 400 unless authentic?(request, body, keys)

  process(request["wh-id"], body) unless request["wh-test"] == "true"
  204
rescue StandardError => e
  warn e.full_message
  500
end

secrets = ENV.fetch("WEBHOOK_SECRET", "").split
abort "Set WEBHOOK_SECRET to the signing secret: whsec_…" unless secrets.any? && secrets.all?(SECRET)
keys = secrets.map { |secret| secret.delete_prefix("whsec_").unpack1("m0") }
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ENV.fetch("PORT", 3000), AccessLog: [])
server.mount_proc("/") do |request, response|
  # Else WEBrick reads the rest of a body that is too large.
  response.keep_alive = false
  response.status = receive(request, keys)
end
trap("INT") { server.shutdown }
server.start
