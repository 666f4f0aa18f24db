package io.delayqueue.autoconfigure.http;

import jakarta.servlet.http.HttpServletRequest;
import org.springframework.security.core.Authentication;

/** The authorities that Spring Security granted to the client of a request. */
final class GrantedAuthorities {

    private GrantedAuthorities() {}

    /**
     * Returns whether the client has an authority or a role with that name. {@code isUserInRole} alone finds only
     * roles.
     */
    static boolean contain(HttpServletRequest request, String authority) {
        return request.isUserInRole(authority)
                || (request.getUserPrincipal() instanceof Authentication client
                        && client.getAuthorities().stream()
                                .anyMatch(granted -> authority.equals(granted.getAuthority())));
    }
}
