<?php
// For the tests of Fanfare: makes users, each with an application password. It runs on loopback only.

// WordPress takes them over HTTPS alone.
add_filter('wp_is_application_passwords_available', '__return_true');
// It would look for updates, which are not to be had on loopback.
add_filter('pre_http_request', fn() => new WP_Error('http_request_blocked', 'No network.'));

add_action('rest_api_init', function () {
    register_rest_route('fanfare-test/v1', '/users', [
        'methods' => 'POST',
        'permission_callback' => '__return_true',
        'callback' => function ($request) {
            $id = wp_insert_user([
                'user_login' => $request['login'],
                'user_pass' => wp_generate_password(),
                'user_email' => $request['login'] . '@example.com',
                'role' => $request['role'],
            ]);
            if (is_wp_error($id)) {
                return $id;
            }
            [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'Fanfare']);
            return ['password' => WP_Application_Passwords::chunk_password($password)];
        },
    ]);
});
