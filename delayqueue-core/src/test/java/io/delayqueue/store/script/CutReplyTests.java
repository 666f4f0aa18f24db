package io.delayqueue.store.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.redis.Await;
import io.delayqueue.redis.RedisCallException;
import io.delayqueue.store.bench.ClientScripts;
import io.delayqueue.store.bench.StoreBench;
import io.delayqueue.store.script.Scenarios.Scenario;
import io.delayqueue.test.redis.FaultProxy;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every script executed twice by a real client: a proxy lets each command through and cuts the connection in place of
 * its first reply. {@link TwiceTests} executes all scenarios twice without a client. If the client reports that the outcome is unknown, the caller repeats the same call.
 */
class CutReplyTests {

    @RegisterExtension
    static final StoreBench bench = StoreBench.withDrivenClock();

    private static FaultProxy network;
    private static ClientScripts client;

    @BeforeAll
    static void connect() {
        network = FaultProxy.inFrontOf(bench.server());
        client = new ClientScripts(network.port());
    }

    @AfterAll
    static void disconnect() {
        client.close();
        network.close();
    }

    /** The first scenario of each script. */
    static Stream<Scenario> scripts() {
        Set<String> scripts = new HashSet<>();
        return Scenarios.all().filter(scenario -> scripts.add(scenario.script()));
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void whatTheClientRepeatsChangesNothing(Scenario scenario) {
        scenario.begin(bench);
        scenario.run(bench);
        String once = bench.state().toString();

        scenario.begin(bench);
        Await.result(bench.processOver(client).count(bench.shard()));
        network.cutFirstReplies(request -> request.name().startsWith("EVAL"));
        long executed = bench.commands(() -> repeatUntilReply(scenario)).get("evalsha");
        network.pass();
        assertThat(executed).isGreaterThanOrEqualTo(2);
        assertThat(bench.state()).hasToString(once);
    }

    private static void repeatUntilReply(Scenario scenario) {
        for (int calls = 1; ; calls++) {
            try {
                scenario.run(bench);
                return;
            } catch (RedisCallException e) {
                if (calls == 20) {
                    throw e;
                }
            }
        }
    }
}
