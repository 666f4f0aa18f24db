package io.delayqueue.sample.text;

import java.time.InstantSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A simulated external server that rejects requests beyond a rate. Thread-safe. */
@RestController
@RequestMapping("/text-provider")
final class TextProvider {

    private final InstantSource clock;
    private int perSecond = 5;
    private long second;
    private int sent;

    TextProvider(InstantSource clock) {
        this.clock = clock;
    }

    /** Sets the number of text messages that are permitted in a second. */
    @PutMapping("/rate")
    synchronized int permit(@RequestBody int wanted) {
        perSecond = wanted;
        return wanted;
    }

    @PostMapping("/messages")
    synchronized ResponseEntity<Void> send(@RequestBody TextMessage message) {
        long now = clock.instant().getEpochSecond();
        if (now != second) {
            second = now;
            sent = 0;
        }
        if (sent < perSecond) {
            sent++;
            return ResponseEntity.noContent().build();
        }
        return ResponseEntity.status(HttpStatus.TOO_MANY_REQUESTS)
                .header(HttpHeaders.RETRY_AFTER, "1")
                .build();
    }
}
