package io.delayqueue.proof;

import io.delayqueue.testing.ShardLimits;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** The same with a limit of one message of each key: never two of a key are handled at once. */
@Tag("long")
@Tag("core")
class KeyLimitUnderKillsTests extends FairUnderKillsTests {

    @Override
    void limit() {
        redis.command(ShardLimits.command(key("meta"), "0 0 1 0 1"));
    }

    @Override
    Map<String, List<Attempt>> oneAtATime() {
        return attempts;
    }
}
