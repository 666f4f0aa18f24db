package io.delayqueue.management.guard;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationTrustResolverImpl;
import org.springframework.security.core.Authentication;
import org.springframework.util.ClassUtils;

/** Tells users from anonymous principals. Spring Security hides the latter on servlet stacks, but not on WebFlux. */
public final class Principals {

    private static final boolean SPRING_SECURITY =
            ClassUtils.isPresent("org.springframework.security.core.Authentication", Principals.class.getClassLoader());

    private Principals() {}

    /** Returns whether the principal of a request is an authenticated user. */
    public static boolean isAuthenticated(@Nullable Principal principal) {
        return (SPRING_SECURITY && principal instanceof Authentication authentication)
                ? new AuthenticationTrustResolverImpl().isAuthenticated(authentication)
                : principal != null;
    }
}
