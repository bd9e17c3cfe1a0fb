// Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it.

using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

static class Receiver
{
    const long ToleranceSeconds = 300;
    const int MaxBodyBytes = 257 * 1024;
    const int MaxIds = 10000;

    /// <summary>Whether a delivery is authentic. The body is the raw bytes, which the signature covers.</summary>
    static bool Verify(byte[] body, NameValueCollection headers, List<byte[]> keys)
    {
        string id = headers["wh-id"], timestamp = headers["wh-timestamp"], signatures = headers["wh-signature"];
        if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(timestamp) || string.IsNullOrEmpty(signatures)) return false;
        if (!Regex.IsMatch(timestamp, @"\A[0-9]{1,15}\z")) return false;
        var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp);
        if (Math.Abs(age) > ToleranceSeconds) return false;
        var content = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
        foreach (var key in keys)
        {
            using (var hmac = new HMACSHA256(key))
            {
                var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(content)));
                foreach (var pair in signatures.Split(' '))
                {
                    if (CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(pair), expected)) return true;
                }
            }
        }
        return false;
    }

    /// <summary>Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer.</summary>
    static void Process(string id, byte[] body)
    {
        var line = Encoding.UTF8.GetBytes(id + " ").Concat(body).Append((byte)'\n').ToArray();
        using (var output = Console.OpenStandardOutput()) output.Write(line, 0, line.Length);
    }

    // Lost with the process. Better: a unique column for the id, in the transaction that stores the event.
    static readonly HashSet<string> Processed = new HashSet<string>();
    static readonly Queue<string> Order = new Queue<string>();

    /// <summary>Deliveries can repeat. If Process fails, the id is not remembered, and the retry is processed.</summary>
    static void ProcessOnce(string id, byte[] body)
    {
        lock (Processed)
        {
            if (Processed.Contains(id)) return;
            Process(id, body);
            Processed.Add(id);
            Order.Enqueue(id);
            if (Order.Count > MaxIds) Processed.Remove(Order.Dequeue());
        }
    }

    static int Receive(HttpListenerRequest request, List<byte[]> keys)
    {
        if (request.ContentLength64 > MaxBodyBytes) return 413;
        try
        {
            var body = new MemoryStream();
            request.InputStream.CopyTo(body);
            if (!Verify(body.ToArray(), request.Headers, keys)) return 400;
            // The test of a webhook tells of no event.
            if (request.Headers["wh-test"] != "true") ProcessOnce(request.Headers["wh-id"], body.ToArray());
            return 204;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            return 500;
        }
    }

    static int Main()
    {
        // During a rotation: the old and the new secret, separated by a space.
        var secrets = (Environment.GetEnvironmentVariable("WEBHOOK_SECRET") ?? "")
            .Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
        if (secrets.Length == 0 || !secrets.All(secret => Regex.IsMatch(secret, @"\Awhsec_.+\z")))
        {
            Console.Error.WriteLine("Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…");
            return 1;
        }
        var keys = secrets.Select(secret => Convert.FromBase64String(secret.Substring("whsec_".Length))).ToList();
        // Answers only requests for this host, so the server in front must send it in place of its own, as nginx does.
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + (Environment.GetEnvironmentVariable("PORT") ?? "3000") + "/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            Task.Run(() =>
            {
                context.Response.StatusCode = Receive(context.Request, keys);
                context.Response.Close();
            });
        }
    }
}
