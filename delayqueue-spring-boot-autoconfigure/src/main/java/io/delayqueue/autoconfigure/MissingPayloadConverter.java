package io.delayqueue.autoconfigure;

import io.delayqueue.convert.PayloadConversionException;
import io.delayqueue.convert.PayloadConverter;
import java.lang.reflect.Type;

/** Stands in where neither Jackson nor a converter bean is there: text and bytes work, the rest says what is missing. */
final class MissingPayloadConverter implements PayloadConverter {

    private static final String WHAT_TO_DO = "only String and byte[] can be sent, as there is neither a JsonMapper"
            + " (spring-boot-starter-jackson) nor a bean of type PayloadConverter";

    @Override
    public byte[] write(Object payload) {
        throw failure(payload.getClass());
    }

    @Override
    public Object read(byte[] body, Type type) {
        throw failure(type);
    }

    private static PayloadConversionException failure(Type type) {
        return new PayloadConversionException(
                "There is no converter for " + type.getTypeName() + ": " + WHAT_TO_DO,
                new IllegalStateException(WHAT_TO_DO));
    }
}
