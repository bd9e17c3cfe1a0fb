// Receives deliveries of Posthorn. README.md says how to run it.

using System.Collections.Specialized;
using System.Net;
using System.Security.Cryptography;
using System.Text;

byte[][] keys;
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
    _ = Task.Run(() => Receive(context.Request, context.Response));
}

void Process(string? id, byte[] body)
{
    // Store the event here, with the id in a unique column: deliveries can repeat.
    Console.WriteLine($"{id} {Encoding.UTF8.GetString(body)}");
}

byte[] KeyOf(string secret)
{
    if (!secret.StartsWith("whsec_") || secret.Length == 6) throw new FormatException();
    return Convert.FromBase64String(secret.Substring(6));
}

bool IsAuthentic(NameValueCollection headers, byte[] body)
{
    string? id = headers["wh-id"], timestamp = headers["wh-timestamp"], signatures = headers["wh-signature"];
    if (!long.TryParse(timestamp, out var seconds) || signatures == null) return false;
    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > 300) return false;
    var content = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
    var expected = keys.Select(key => "v1," + Convert.ToBase64String(HMACSHA256.HashData(key, content)));
    var given = signatures.Split(' ').Select(Encoding.UTF8.GetBytes).ToArray();
    return expected.Select(Encoding.UTF8.GetBytes)
        .Any(own => given.Any(one => CryptographicOperations.FixedTimeEquals(one, own)));
}

void Receive(HttpListenerRequest request, HttpListenerResponse response)
{
    response.StatusCode = 204;
    try
    {
        var body = new byte[257 * 1024 + 1];
        var length = request.InputStream.ReadAtLeast(body, body.Length, throwOnEndOfStream: false);
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
