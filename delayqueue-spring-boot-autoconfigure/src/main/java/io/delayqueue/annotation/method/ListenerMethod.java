package io.delayqueue.annotation.method;

import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method of a bean.
 *
 * @param bean the bean, or the proxy in its place
 * @param targetClass the class behind it
 * @param method the method as that class declares or inherits it: there stand its annotations
 * @param invocable the method by which the bean is called: that of an interface if the bean is a JDK proxy
 */
public record ListenerMethod(Object bean, Class<?> targetClass, Method method, Method invocable) {

    /**
     * Finds how to call a method on a bean.
     *
     * @throws InvalidSignatureException if a proxy stands in its way
     */
    public static ListenerMethod of(Object bean, Method method) {
        Method invocable;
        try {
            invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new InvalidSignatureException(
                    "The bean is a proxy through which the method can't be called.",
                    "Make the method public and declare it in an interface of the bean, or have the class proxied"
                            + " (spring.aop.proxy-target-class=true).",
                    e);
        }
        ReflectionUtils.makeAccessible(invocable);
        return new ListenerMethod(bean, AopUtils.getTargetClass(bean), method, invocable);
    }
}
