package io.delayqueue.autoconfigure.endpoint;

import io.delayqueue.actuate.PayloadAccess;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the management endpoint, beside those that Boot has for each endpoint.
 *
 * @param showPayloads When to show payloads and headers of messages and dead letters.
 * @param roles Roles of which a user has one to be authorized to see payloads. If there are none, all authenticated users
 *     are authorized.
 */
@ConfigurationProperties("management.endpoint.delayqueue")
public record EndpointProperties(
        @DefaultValue("when-authorized") Show showPayloads,
        @DefaultValue Set<String> roles) {

    PayloadAccess toAccess() {
        return new PayloadAccess(showPayloads, roles);
    }
}
