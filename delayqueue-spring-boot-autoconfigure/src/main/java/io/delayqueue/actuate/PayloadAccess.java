package io.delayqueue.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Decides whether a caller may see payloads and headers.
 *
 * @param show never, when authorized, or always
 * @param roles the roles that authorize a caller; if empty, all authenticated callers are authorized
 */
public record PayloadAccess(Show show, Set<String> roles) {

    boolean isOpenTo(SecurityContext caller) {
        return show.isShown(caller, roles);
    }
}
