package io.delayqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.Principal;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

class EndpointPropertiesTests {

    @ParameterizedTest
    @CsvSource({
        // show, required roles, the caller's name and role, shown
        "NEVER, , alice, OPERATOR, false",
        "ALWAYS, , , , true",
        "ALWAYS, OPERATOR, , , true",
        "WHEN_AUTHORIZED, , , , false",
        "WHEN_AUTHORIZED, , alice, , true",
        "WHEN_AUTHORIZED, OPERATOR, alice, , false",
        "WHEN_AUTHORIZED, OPERATOR, alice, VISITOR, false",
        "WHEN_AUTHORIZED, OPERATOR, alice, OPERATOR, true",
    })
    void payloadsAreShownByPropertyAndRole(Show show, String roles, String name, String role, boolean shown) {
        EndpointProperties properties = new EndpointProperties(show, roles == null ? Set.of() : Set.of(roles));

        assertThat(properties.showsPayloadsTo(new Caller(name, role))).isEqualTo(shown);
    }

    private record Caller(@Nullable String name, @Nullable String role) implements SecurityContext {

        @Override
        public @Nullable Principal getPrincipal() {
            return name == null ? null : () -> name;
        }

        @Override
        public boolean isUserInRole(String requested) {
            return requested.equals(role);
        }
    }
}
