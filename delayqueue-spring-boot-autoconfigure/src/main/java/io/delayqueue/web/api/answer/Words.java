package io.delayqueue.web.api.answer;

import java.util.Locale;

/** Names of outcomes and states as they are told. */
final class Words {

    private Words() {}

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
