package io.delayqueue.sample.demo;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Causes faults over HTTP. */
@RestController
@RequestMapping("/demo")
final class DemoController {

    private final RolledBackOrder rolledBackOrder;
    private final FailedAttempt failedAttempt;
    private final Twins twins;

    DemoController(RolledBackOrder rolledBackOrder, FailedAttempt failedAttempt, Twins twins) {
        this.rolledBackOrder = rolledBackOrder;
        this.failedAttempt = failedAttempt;
        this.twins = twins;
    }

    @PostMapping("/rollback")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void rollBack() {
        rolledBackOrder.place();
    }

    @PostMapping("/once")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void failOnce() {
        failedAttempt.send();
    }

    @PostMapping("/twin")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void killTwin() {
        twins.startAndKill();
    }
}
