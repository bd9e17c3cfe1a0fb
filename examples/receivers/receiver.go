// Receives deliveries of Posthorn. README.md says how to run it.
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var keys [][]byte

func process(id string, body []byte) error {
	// Store the event here, with the id in a unique column: deliveries can repeat.
	_, err := fmt.Printf("%s %s\n", id, body)
	return err
}

func isAuthentic(header http.Header, body []byte) bool {
	id, timestamp := header.Get("wh-id"), header.Get("wh-timestamp")
	isSigned := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(header.Get("wh-signature"), " ") {
			isSigned = isSigned || hmac.Equal([]byte(given), []byte(expected))
		}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	return isSigned && err == nil && time.Since(time.Unix(seconds, 0)).Abs() <= 5*time.Minute
}

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 257<<10))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	} else if !isAuthentic(r.Header, body) {
		w.WriteHeader(http.StatusBadRequest)
	} else if r.Header.Get("wh-test") == "true" {
		w.WriteHeader(http.StatusNoContent)
	} else if err := process(r.Header.Get("wh-id"), body); err != nil {
		log.Print(err)
		w.WriteHeader(http.StatusInternalServerError)
	} else {
		w.WriteHeader(http.StatusNoContent)
	}
}

func main() {
	for _, secret := range strings.Split(os.Getenv("WEBHOOK_SECRET"), " ") {
		encoded, found := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !found || err != nil || len(key) == 0 {
			log.Fatal("Set WEBHOOK_SECRET to the signing secret: whsec_…")
		}
		keys = append(keys, key)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "3000"), http.HandlerFunc(receive)))
}
