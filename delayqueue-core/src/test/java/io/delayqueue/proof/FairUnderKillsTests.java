package io.delayqueue.proof;

import io.delayqueue.message.Shard.Keys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The same with a fair topic: messages of a key may be handled at once, but each message only once at a time. */
@Tag("long")
@Tag("core")
class FairUnderKillsTests extends OrderUnderKillsTests {

    @Override
    Keys keys() {
        return Keys.FAIR;
    }

    @Override
    List<String> sortedSets() {
        return List.of("schedule", "leases", "parked", "parked.due", "active");
    }

    @Override
    Map<String, List<Attempt>> oneAtATime() {
        Map<String, List<Attempt>> byId = new HashMap<>();
        attempts.values()
                .forEach(ofKey -> ofKey.forEach(attempt -> byId.computeIfAbsent(attempt.id, id -> new ArrayList<>())
                        .add(attempt)));
        return byId;
    }
}
