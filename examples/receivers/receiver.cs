// Receives deliveries of Posthorn. README.md says how to run it.

using System;
using System.Collections.Specialized;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

static class Receiver
{
    static byte[][] keys = { };

    static void Process(string id, byte[] body)
    {
        // Store the event here, with the id in a unique column: deliveries can repeat.
        Console.WriteLine(id + " " + Encoding.UTF8.GetString(body));
    }

    static bool IsAuthentic(NameValueCollection headers, byte[] body)
    {
        string id = headers["wh-id"], timestamp = headers["wh-timestamp"], signatures = headers["wh-signature"];
        if (signatures == null || !long.TryParse(timestamp, out var seconds)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
        var content = Utf8(id + "." + timestamp + ".").Concat(body).ToArray();
        var expected = keys.Select(key => "v1," + Convert.ToBase64String(new HMACSHA256(key).ComputeHash(content)));
        return expected.Any(own => signatures.Split(' ')
            .Any(given => CryptographicOperations.FixedTimeEquals(Utf8(given), Utf8(own))));
    }

    static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);

    static void Receive(HttpListenerRequest request, HttpListenerResponse response)
    {
        response.StatusCode = 204;
        try
        {
            var body = new byte[257 * 1024 + 1];
            int length = 0, read;
            while ((read = request.InputStream.Read(body, length, body.Length - length)) > 0) length += read;
            Array.Resize(ref body, length);
            if (length > 257 * 1024) response.StatusCode = 413;
            else if (!IsAuthentic(request.Headers, body)) response.StatusCode = 400;
            else if (request.Headers["wh-test"] != "true") Process(request.Headers["wh-id"], body);
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            response.StatusCode = 500;
        }
        response.Close();
    }

    static byte[] KeyOf(string secret)
    {
        if (!secret.StartsWith("whsec_") || secret.Length == 6) throw new FormatException();
        return Convert.FromBase64String(secret.Substring(6));
    }

    static int Main()
    {
        try
        {
            keys = (Environment.GetEnvironmentVariable("WEBHOOK_SECRET") ?? "").Split(' ').Select(KeyOf).ToArray();
        }
        catch (FormatException)
        {
            Console.Error.WriteLine("Set WEBHOOK_SECRET to the signing secret: whsec_…");
            return 1;
        }
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + (Environment.GetEnvironmentVariable("PORT") ?? "3000") + "/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            Task.Run(() => Receive(context.Request, context.Response));
        }
    }
}
