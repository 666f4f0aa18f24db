package io.delayqueue.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Who may see payloads and headers.
 *
 * @param show never, when authorized, or always
 * @param roles of which an authorized caller has one; if there are none, each who is authenticated is authorized
 */
public record PayloadAccess(Show show, Set<String> roles) {

    boolean isOpenTo(SecurityContext caller) {
        return show.isShown(caller, roles);
    }
}
