package io.delayqueue.message;

/** What a send does when its id is already live (scheduled or leased). Dead letters never stand in the way. */
public enum OnDuplicate {
    /** The send is refused as a duplicate and nothing changes. */
    REFUSE,
    /** The live message is kept as it is, and the send succeeds. */
    KEEP,
    /**
     * The new message takes the old one's place and its attempts start from zero. A running handler of the old one may
     * finish, but what it answers counts no more.
     */
    REPLACE
}
