package io.delayqueue.autoconfigure.endpoint;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the management endpoint, in addition to those that Spring Boot defines for each endpoint.
 *
 * @param showPayloads When the payloads and headers of messages and dead letters are shown.
 * @param roles Roles that authorize a user to see payloads; one of them is sufficient. If empty, all authenticated
 *     users are authorized.
 */
@ConfigurationProperties("management.endpoint.delayqueue")
record EndpointProperties(
        @DefaultValue("when-authorized") Show showPayloads,
        @DefaultValue Set<String> roles) {

    boolean showsPayloadsTo(SecurityContext caller) {
        return showPayloads.isShown(caller, roles);
    }
}
