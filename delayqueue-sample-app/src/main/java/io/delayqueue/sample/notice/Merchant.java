package io.delayqueue.sample.notice;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A simulated external server whose failures can be controlled. Thread-safe. */
@RestController
@RequestMapping("/merchant")
public final class Merchant {

    private static final int FLAKY_FAILURES = 2;

    private final Map<String, Integer> asked = new ConcurrentHashMap<>();
    private volatile Behaviour behaviour;

    Merchant(@Value("${sample.merchant.behaviour:flaky}") Behaviour behaviour) {
        this.behaviour = behaviour;
    }

    /** The current behaviour. */
    @GetMapping("/behaviour")
    public Behaviour behaviour() {
        return behaviour;
    }

    @PutMapping("/behaviour")
    Behaviour behave(@RequestBody Behaviour wanted) {
        behaviour = wanted;
        return wanted;
    }

    @PostMapping("/notices")
    ResponseEntity<String> take(@RequestBody PaymentNotice notice) {
        boolean takes = switch (behaviour) {
            case UP -> true;
            case FLAKY -> asked.merge(notice.orderId(), 1, Integer::sum) > FLAKY_FAILURES;
            case DOWN -> false;
        };
        if (takes) {
            asked.remove(notice.orderId());
        }
        return takes
                ? ResponseEntity.noContent().build()
                : ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                        .contentType(MediaType.TEXT_PLAIN)
                        .body("The merchant is unavailable.");
    }
}
