<?php

// Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it.

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 257 * 1024;

/** Whether a delivery is authentic. The body is the raw bytes, which the signature covers. */
function verify(string $body, array $server, array $keys): bool
{
    $id = $server['HTTP_WH_ID'] ?? '';
    $timestamp = $server['HTTP_WH_TIMESTAMP'] ?? '';
    $signatures = $server['HTTP_WH_SIGNATURE'] ?? '';
    if ($id === '' || $signatures === '' || !preg_match('/\A\d{1,15}\z/', $timestamp)) {
        return false;
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    foreach ($keys as $key) {
        $hmac = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
        foreach (explode(' ', $signatures) as $pair) {
            if (hash_equals('v1,' . base64_encode($hmac), $pair)) {
                return true;
            }
        }
    }
    return false;
}

/** Store the event durably here, and work on it later: Posthorn waits 15 seconds for the answer. */
function process(string $id, string $body): void
{
    if (file_put_contents('php://stdout', "$id $body\n") === false) {
        throw new RuntimeException('The event could not be stored.');
    }
}

/**
 * Deliveries can repeat. PHP keeps nothing in memory between requests, so each id is an empty file. Better: a unique
 * column for the id, in the transaction that stores the event. If `process` fails, the retry is processed.
 */
function processOnce(string $id, string $body): void
{
    $folder = sys_get_temp_dir() . '/posthorn-receiver';
    is_dir($folder) || mkdir($folder, 0700);
    $path = "$folder/" . hash('sha256', $id);
    $file = @fopen($path, 'x');
    if ($file === false && file_exists($path)) {
        return;
    }
    if ($file === false) {
        throw new RuntimeException("Cannot write to $folder.");
    }
    fclose($file);
    try {
        process($id, $body);
    } catch (Throwable $error) {
        unlink($path);
        throw $error;
    }
}

function keys(): array
{
    // During a rotation: the old and the new secret, separated by a space.
    $secrets = preg_split('/\s+/', getenv('WEBHOOK_SECRET') ?: '', -1, PREG_SPLIT_NO_EMPTY);
    $keys = array_map(
        fn($secret) => str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6), true) : false,
        $secrets,
    );
    if ($keys === [] || in_array(false, $keys, true) || in_array('', $keys, true)) {
        throw new RuntimeException('Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…');
    }
    return $keys;
}

function receive(): int
{
    if ((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) > MAX_BODY_BYTES) {
        return 413;
    }
    $body = file_get_contents('php://input');
    if (!verify($body, $_SERVER, keys())) {
        return 400;
    }
    // The test of a webhook tells of no event.
    if (($_SERVER['HTTP_WH_TEST'] ?? '') !== 'true') {
        processOnce($_SERVER['HTTP_WH_ID'], $body);
    }
    return 204;
}

try {
    http_response_code(receive());
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500);
}
