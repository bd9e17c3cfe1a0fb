// Receives deliveries of Posthorn: verifies each, and processes each id once. README.md says how to run it.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance    = 300 // seconds
	maxBodyBytes = 257 << 10
	maxIDs       = 10_000
)

// verify reports whether a delivery is authentic. The body is the raw bytes, which the signature covers.
func verify(body []byte, header http.Header, keys [][]byte) bool {
	id, timestamp := header.Get("wh-id"), header.Get("wh-timestamp")
	signatures := header.Get("wh-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return false
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 48)
	if err != nil {
		return false
	}
	if age := time.Now().Unix() - int64(seconds); age > tolerance || age < -tolerance {
		return false
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, pair := range strings.Split(signatures, " ") {
			if hmac.Equal([]byte(pair), []byte(expected)) {
				return true
			}
		}
	}
	return false
}

// process stores the event durably here, for work later: Posthorn waits 15 seconds for the answer.
func process(id string, body []byte) error {
	_, err := os.Stdout.Write([]byte(id + " " + string(body) + "\n"))
	return err
}

// processed is lost with the process. Better: a unique column for the id, in the transaction that stores the event.
var processed struct {
	sync.Mutex
	ids   map[string]bool
	order []string
}

// processOnce skips repeats. If process fails, the id is not remembered, and the retry is processed.
func processOnce(id string, body []byte) error {
	processed.Lock()
	defer processed.Unlock()
	if processed.ids[id] {
		return nil
	}
	if err := process(id, body); err != nil {
		return err
	}
	processed.ids[id] = true
	processed.order = append(processed.order, id)
	if len(processed.order) > maxIDs {
		delete(processed.ids, processed.order[0])
		processed.order = processed.order[1:]
	}
	return nil
}

func receive(w http.ResponseWriter, r *http.Request, keys [][]byte) int {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil || !verify(body, r.Header, keys) {
		return http.StatusBadRequest
	}
	// The test of a webhook tells of no event.
	if r.Header.Get("wh-test") != "true" {
		if err := processOnce(r.Header.Get("wh-id"), body); err != nil {
			log.Print(err)
			return http.StatusInternalServerError
		}
	}
	return http.StatusNoContent
}

func main() {
	processed.ids = map[string]bool{}
	// During a rotation: the old and the new secret, separated by a space.
	secrets := strings.Fields(os.Getenv("WEBHOOK_SECRET"))
	var keys [][]byte
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 || !strings.HasPrefix(secret, "whsec_") {
			secrets = nil
			break
		}
		keys = append(keys, key)
	}
	if len(secrets) == 0 {
		log.Fatal("Set WEBHOOK_SECRET to the signing secret of the webhook: whsec_…")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	server := http.Server{
		Addr:        "127.0.0.1:" + port,
		ReadTimeout: 15 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(receive(w, r, keys))
		}),
	}
	log.Fatal(server.ListenAndServe())
}
