// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** The default provider: the user and password of the URI. A record, so that equal options are equal. */
record UriCredentials(RedisUri uri) implements CredentialsProvider {

    /** Checks that there is one source of the password. */
    static void refuseSecondPassword(RedisUri uri, CredentialsProvider credentials) {
        if (uri.password().isPresent() && !credentials.equals(new UriCredentials(uri))) {
            throw new IllegalArgumentException(
                    "the URI has a password, and there is a credentials provider. Remove the password from the URI");
        }
    }

    @Override
    public Credentials credentials() {
        return uri.password()
                .map(password -> Credentials.of(uri.user().orElse(""), password))
                .orElse(Credentials.none());
    }
}
