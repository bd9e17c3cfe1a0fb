import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.*;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.*;
import java.util.*;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives deliveries of Posthorn. README.md says how to run it. */
class Receiver {
    static final List<SecretKeySpec> KEYS = new ArrayList<>();

    static void process(String id, byte[] body) throws IOException {
        // Store the event here, with the id in a unique column: deliveries can repeat.
        System.out.writeBytes((id + " " + new String(body, UTF_8) + "\n").getBytes(UTF_8));
        if (System.out.checkError()) throw new IOException("Cannot write.");
    }

    static boolean isAuthentic(Headers headers, byte[] body) throws GeneralSecurityException {
        String timestamp = headers.getOrDefault("wh-timestamp", List.of("")).get(0);
        if (!timestamp.matches("[0-9]{1,15}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        boolean isSigned = false;
        for (SecretKeySpec key : KEYS) {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            mac.update((headers.getFirst("wh-id") + "." + timestamp + ".").getBytes(UTF_8));
            String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
            for (String given : headers.getOrDefault("wh-signature", List.of("")).get(0).split(" ")) {
                isSigned |= MessageDigest.isEqual(given.getBytes(UTF_8), expected.getBytes(UTF_8));
            }
        }
        return isSigned;
    }

    static void receive(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        byte[] body = exchange.getRequestBody().readNBytes(257 * 1024 + 1);
        int status = 204;
        try {
            if (body.length > 257 * 1024) status = 413;
            else if (!isAuthentic(headers, body)) status = 400;
            else if (!"true".equals(headers.getFirst("wh-test"))) process(headers.getFirst("wh-id"), body);
        } catch (Exception error) {
            error.printStackTrace();
            status = 500;
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    public static void main(String[] arguments) throws IOException {
        for (String secret : System.getenv().getOrDefault("WEBHOOK_SECRET", "").split(" ")) {
            try {
                if (!secret.startsWith("whsec_")) throw new IllegalArgumentException();
                KEYS.add(new SecretKeySpec(Base64.getDecoder().decode(secret.substring(6)), "HmacSHA256"));
            } catch (IllegalArgumentException error) {
                System.err.println("Set WEBHOOK_SECRET to the signing secret: whsec_…");
                System.exit(1);
            }
        }
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", Receiver::receive);
        server.start();
    }
}
