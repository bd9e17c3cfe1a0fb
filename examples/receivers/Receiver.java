import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it. */
class Receiver {
    static final long TOLERANCE_SECONDS = 300;
    static final int MAX_BODY_BYTES = 257 * 1024;
    static final int MAX_IDS = 10_000;

    /** Whether a delivery is authentic. The body is the raw bytes, which the signature covers. */
    static boolean verify(byte[] body, Headers headers, List<byte[]> keys) throws GeneralSecurityException {
        String id = headers.getFirst("wh-id");
        String timestamp = headers.getFirst("wh-timestamp");
        String signatures = headers.getFirst("wh-signature");
        if (id == null || id.isEmpty() || timestamp == null || signatures == null) return false;
        if (!timestamp.matches("[0-9]{1,15}")) return false;
        long age = System.currentTimeMillis() / 1000 - Long.parseLong(timestamp);
        if (Math.abs(age) > TOLERANCE_SECONDS) return false;
        for (byte[] key : keys) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
            for (String pair : signatures.split(" ")) {
                if (MessageDigest.isEqual(pair.getBytes(StandardCharsets.UTF_8), expected)) return true;
            }
        }
        return false;
    }

    /** Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer. */
    static void process(String id, byte[] body) throws IOException {
        // Unlike `System.out`, this reports failures.
        FileOutputStream output = new FileOutputStream(FileDescriptor.out);
        output.write((id + " ").getBytes(StandardCharsets.UTF_8));
        output.write(body);
        output.write('\n');
    }

    /** Lost with the process. Better: a unique column for the id, in the transaction that stores the event. */
    static final Set<String> PROCESSED = new LinkedHashSet<>();

    /** Deliveries can repeat. If `process` fails, the id is not remembered, and the retry is processed. */
    static synchronized void processOnce(String id, byte[] body) throws IOException {
        if (PROCESSED.contains(id)) return;
        process(id, body);
        PROCESSED.add(id);
        if (PROCESSED.size() > MAX_IDS) PROCESSED.remove(PROCESSED.iterator().next());
    }

    static int receive(HttpExchange exchange, List<byte[]> keys) {
        try {
            byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES + 1);
            if (body.length > MAX_BODY_BYTES) return 413;
            Headers headers = exchange.getRequestHeaders();
            if (!verify(body, headers, keys)) return 400;
            // The test of a webhook tells of no event.
            if (!"true".equals(headers.getFirst("wh-test"))) processOnce(headers.getFirst("wh-id"), body);
            return 204;
        } catch (Exception error) {
            error.printStackTrace();
            return 500;
        }
    }

    public static void main(String[] arguments) throws IOException {
        // During a rotation: the old and the new secret, separated by a space.
        List<byte[]> keys = new ArrayList<>();
        for (String secret : System.getenv().getOrDefault("WEBHOOK_SECRET", "").trim().split(" +")) {
            if (!secret.matches("whsec_.+")) {
                System.err.println("Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…");
                System.exit(1);
            }
            keys.add(Base64.getDecoder().decode(secret.substring("whsec_".length())));
        }
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(receive(exchange, keys), -1);
            }
        });
        server.start();
    }
}
