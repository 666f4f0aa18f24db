package io.delayqueue.annotation;

import io.delayqueue.Internal;
import io.delayqueue.listener.RetryPolicy;
import java.util.function.Function;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/** Reads retry policies: a {@link BackoffExpression}, or the name of a bean of type {@link RetryPolicy}. */
@Internal
public final class RetryPolicies {

    private RetryPolicies() {}

    /**
     * Reads a policy.
     *
     * @param beans the bean factory
     * @throws IllegalArgumentException if the text is neither a valid back-off nor the name of a policy. The message
     *     is a relative clause about the text: "which is neither a back-off ... nor the name of a RetryPolicy bean:
     *     ..."
     */
    public static RetryPolicy read(String text, BeanFactory beans) {
        return read(text, name -> bean(beans, name));
    }

    /**
     * Reads a policy.
     *
     * @param named finds a policy by its name
     * @throws IllegalArgumentException as {@link #read(String, BeanFactory)} does
     */
    public static RetryPolicy read(String text, Function<String, RetryPolicy> named) {
        if (!BackoffExpression.matches(text)) {
            return named.apply(text.trim());
        }
        try {
            return BackoffExpression.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("which is not a valid back-off: " + e.getMessage(), e);
        }
    }

    private static RetryPolicy bean(BeanFactory beans, String name) {
        try {
            return beans.getBean(name, RetryPolicy.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new IllegalArgumentException(
                    "which is neither a back-off such as 'fixed 5s' or '0s,2m,10m' nor the name of a RetryPolicy bean: "
                            + e.getMessage(),
                    e);
        }
    }
}
