package io.delayqueue.metrics.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;
import org.jspecify.annotations.Nullable;

/** What is observed, by which names and keys. Low-cardinality keys are always there, with "none" where they say nothing. */
public enum DelayQueueObservation implements ObservationDocumentation {

    /** A message is sent; open until it is known what became of it. One for each message, also of a batch. */
    SEND {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DelayQueueSendObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return SendKeys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return new KeyName[] {MessageKeys.ID};
        }
    },

    /** A listener handles a message, or a batch of them; open until the handler's future has ended. One for each attempt. */
    PROCESS {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DelayQueueProcessObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return ProcessKeys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return MessageKeys.values();
        }
    };

    /** The value of an exception's key. */
    static String exception(@Nullable Throwable error) {
        if (error == null) {
            return KeyValue.NONE_VALUE;
        }
        String name = error.getClass().getSimpleName();
        return name.isEmpty() ? error.getClass().getName() : name;
    }

    /** Low-cardinality keys of a send. */
    public enum SendKeys implements KeyName {

        /** The topic. */
        TOPIC("topic"),

        /** What became of it: accepted, replaced, kept, duplicate, refused or unknown. */
        OUTCOME("outcome"),

        /** The simple name of the exception that the sender gets; a duplicate is none. */
        EXCEPTION("exception");

        private final String key;

        SendKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Low-cardinality keys of handling. */
    public enum ProcessKeys implements KeyName {

        /** The topic. */
        TOPIC("topic"),

        /** The listener's id. */
        LISTENER("listener"),

        /** How the handler ended: success, failure, or partial where only some of a batch failed. */
        OUTCOME("outcome"),

        /** The simple name of what the handler threw. */
        EXCEPTION("exception");

        private final String key;

        ProcessKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** High-cardinality keys, of spans only. */
    public enum MessageKeys implements KeyName {

        /** The message's id, or the letter's with a dead-letter listener; not of a batch. */
        ID("delayqueue.id"),

        /** Which attempt it is, from 1; not of a batch. */
        ATTEMPT("delayqueue.attempt"),

        /** How many messages a batch has, where they are more than one. */
        BATCH_SIZE("delayqueue.batch.size");

        private final String key;

        MessageKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }
}
