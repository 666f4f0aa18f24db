package io.delayqueue.actuate.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.management.guard.RequestPolicy;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointGuardTests {

    private final EndpointGuard guard = new EndpointGuard(
            new RequestPolicy(Set.of(), List.of(), false),
            "/ops",
            List.of(id -> id.toString().equals("one") ? "mapped" : null),
            "one",
            "two");

    @ParameterizedTest
    @ValueSource(strings = {"/ops/mapped", "/ops/mapped/", "/ops/mapped/cancel", "/ops/two/x/y"})
    void pathsOfTheEndpointsAreGuarded(String path) {
        assertThat(guard.guards(path)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "", "/ops", "/ops/one", "/ops/mapper", "/ops/twofold", "/two", "/x/ops/two"})
    void otherPathsAreNotGuarded(String path) {
        assertThat(guard.guards(path)).isFalse();
    }

    @Test
    void endpointsWithoutABasePathAreGuarded() {
        assertThat(new EndpointGuard(new RequestPolicy(Set.of(), List.of(), false), "", List.of(), "two")
                        .guards("/two/x"))
                .isTrue();
    }
}
