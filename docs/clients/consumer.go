// Receives messages of a topic and handles them one at a time. Go 1.18 or later, without modules.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var client = http.Client{Timeout: 40 * time.Second}

type object map[string]any

// Your code. An error fails the attempt.
func handle(message object) error {
	log.Println("handled", message["id"])
	return nil
}

// Repeats the request until the queue has replied. A repeat is safe.
func post(ctx context.Context, path string, body object) (result struct{ Messages []object }) {
	text, _ := json.Marshal(body)
	for pause := time.Second; ctx.Err() == nil; pause = pause * 2 % (31 * time.Second) {
		request, _ := http.NewRequestWithContext(ctx, "POST", os.Getenv("QUEUE")+path, bytes.NewReader(text))
		request.Header = http.Header{"Authorization": {"Bearer " + os.Getenv("TOKEN")}, "Content-Type": {"application/json"}}
		if response, err := client.Do(request); err == nil {
			json.NewDecoder(response.Body).Decode(&result)
			response.Body.Close()
			if status := response.StatusCode; status == 410 || status < 300 { // 410: the message is delivered again
				return
			} else if status < 500 && status != 429 {
				log.Fatalln(path, status)
			}
		}
		time.Sleep(pause)
	}
	return
}

func consume(message object) {
	path := "/leases/" + message["receipt"].(string)
	handling, end := context.WithCancel(context.Background())
	go func() {
		for time.Sleep(10 * time.Second); handling.Err() == nil; time.Sleep(10 * time.Second) {
			post(handling, path+"/extend", object{"lease": "30s"})
		}
	}()
	action, body := "/acknowledge", object{}
	if err := handle(message); err != nil {
		action, body = "/retry", object{"delay": "10s", "reason": err.Error()}
	}
	end()
	post(context.Background(), path+action, body)
}

func main() {
	running, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM) // ends the wait of a receive
	for running.Err() == nil {
		for _, message := range post(running, "/receive", object{"topics": []string{os.Getenv("TOPIC")}, "wait": "20s", "lease": "30s"}).Messages {
			consume(message)
		}
	}
}
