<?php

// Receives deliveries of Posthorn. README.md says how to run it.

function process(string $id, string $body): void
{
    // Store the event here, with the id in a unique column: deliveries can repeat.
    file_put_contents('php://stdout', "$id $body\n") ?: throw new RuntimeException('Cannot write.');
}

function isAuthentic(string $body, array $keys): bool
{
    [$id, $timestamp] = [$_SERVER['HTTP_WH_ID'] ?? '', $_SERVER['HTTP_WH_TIMESTAMP'] ?? ''];
    $isSigned = false;
    foreach ($keys as $key) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $_SERVER['HTTP_WH_SIGNATURE'] ?? '') as $signature) {
            $isSigned = $isSigned || hash_equals($expected, $signature);
        }
    }
    return $isSigned && abs(time() - (int) $timestamp) <= 300;
}

$secrets = explode(' ', getenv('WEBHOOK_SECRET') ?: '');
$keys = array_map(fn($secret) => base64_decode(explode('whsec_', $secret)[1] ?? '', true), $secrets);
if ($keys !== array_filter($keys)) {
    error_log('Set WEBHOOK_SECRET to the signing secret: whsec_…');
    exit(1);
}
if (PHP_SAPI === 'cli') {
    // The server of PHP reads the whole body, runs this file for each request, and answers 500 if it throws.
    $server = [PHP_BINARY, '-d', 'display_errors=0', '-S', '127.0.0.1:' . (getenv('PORT') ?: 3000), __FILE__];
    exit(proc_close(proc_open($server, [], $pipes)));
}
$body = file_get_contents('php://input', length: 257 * 1024 + 1);
$status = match (true) {
    strlen($body) > 257 * 1024 => 413,
    !isAuthentic($body, $keys) => 400,
    default => 204,
};
if ($status === 204 && ($_SERVER['HTTP_WH_TEST'] ?? '') !== 'true') {
    process($_SERVER['HTTP_WH_ID'], $body);
}
http_response_code($status);
