package io.delayqueue.actuate.health;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Collects the problems and details of a health check. The worst problem determines the status. */
final class Findings {

    /** Spring Boot ignores this status when it aggregates the health of an application, and responds with 200. */
    private static final Status DEGRADED = new Status("DEGRADED");

    private final List<String> problems = new ArrayList<>();
    private final Map<String, Object> details = new LinkedHashMap<>();
    private boolean down;
    private boolean outOfService;

    /** Adds a problem that makes the queue or a part of it unavailable or unreliable. */
    void down(String sentence) {
        down = true;
        problems.add(sentence);
    }

    /** Adds a problem of a queue that works but exceeds a threshold or cannot be compared with it. */
    void outOfService(String sentence) {
        outOfService = true;
        problems.add(sentence);
    }

    /** Adds a problem of a queue that works, but of which messages fail, are late or are not handled. */
    void degraded(String sentence) {
        problems.add(sentence);
    }

    void detail(String name, Object value) {
        details.put(name, value);
    }

    Health health() {
        Status status =
                down ? Status.DOWN : outOfService ? Status.OUT_OF_SERVICE : problems.isEmpty() ? Status.UP : DEGRADED;
        Health.Builder health = Health.status(status);
        if (!problems.isEmpty()) {
            health.withDetail("problems", List.copyOf(problems));
        }
        return health.withDetails(details).build();
    }
}
