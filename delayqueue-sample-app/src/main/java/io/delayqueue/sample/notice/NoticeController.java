package io.delayqueue.sample.notice;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Replays dead notices over HTTP. */
@RestController
final class NoticeController {

    private final NoticeService notices;

    NoticeController(NoticeService notices) {
        this.notices = notices;
    }

    @PostMapping("/orders/{id}/notice/replay")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void replay(@PathVariable String id, @Valid @RequestBody Replay replay) {
        if (!notices.replay(id, replay.deadLetterId())) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT, "Order " + id + " has no dead notice with this dead letter.");
        }
    }

    /** Identifies the dead letter, so that only one of two concurrent requests replays it. */
    record Replay(
            @NotBlank(message = "The field 'deadLetterId' is required.")
            String deadLetterId) {}
}
