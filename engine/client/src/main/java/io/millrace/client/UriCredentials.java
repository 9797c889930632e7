// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** The default provider: the user and password of the URI. A record, so that equal options are equal. */
record UriCredentials(RedisUri uri) implements CredentialsProvider {

    @Override
    public Credentials credentials() {
        return uri.password()
                .map(password -> Credentials.of(uri.user().orElse(""), password))
                .orElse(Credentials.none());
    }
}
