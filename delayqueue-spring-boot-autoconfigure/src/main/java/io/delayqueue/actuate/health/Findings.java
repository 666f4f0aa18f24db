package io.delayqueue.actuate.health;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Collects the problems and details of a health check. The worst problem determines the status. */
final class Findings {

    private final List<String> problems = new ArrayList<>();
    private final Map<String, Object> details = new LinkedHashMap<>();
    private boolean down;

    /** Adds a problem that makes the queue or a part of it unavailable or unreliable. */
    void down(String sentence) {
        down = true;
        problems.add(sentence);
    }

    /** Adds a problem of a queue that works but exceeds a threshold or cannot be compared with it. */
    void outOfService(String sentence) {
        problems.add(sentence);
    }

    void detail(String name, Object value) {
        details.put(name, value);
    }

    Health health() {
        Status status = down ? Status.DOWN : problems.isEmpty() ? Status.UP : Status.OUT_OF_SERVICE;
        Health.Builder health = Health.status(status);
        if (!problems.isEmpty()) {
            health.withDetail("problems", List.copyOf(problems));
        }
        return health.withDetails(details).build();
    }
}
