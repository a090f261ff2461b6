// Made by "npm run generate" from /openapi.json.

export interface paths {
  '/api/v1/compress': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Compress an image
     * @description A JPG or PNG goes in, a smaller one that looks the same comes out; what cannot gain comes back byte for byte.
     *
     *     The file may have up to 20 MiB and 268 megapixels; when its longer side is over 3840 px it is scaled down. An account may compress 20 images a minute.
     *
     *     A refused request is not read to its end: the connection is closed instead. Callers who send `Expect: 100-continue` are not even asked for the body.
     */
    post: operations['compressImage'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/accounts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Open an account
     * @description Gives an account and its first key. Sign-up is open to everybody. At most 100 an hour from one address.
     */
    post: operations['signUp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/account': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The account and its usage */
    get: operations['getAccount'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/account/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The keys of the account, without their text */
    get: operations['listKeys'];
    put?: never;
    /**
     * One more key
     * @description To replace a key without a gap: create a new one, switch over, revoke the old one.
     */
    post: operations['createKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/account/keys/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke a key
     * @description The key is refused from then on, on every replica. A key may revoke itself.
     */
    delete: operations['revokeKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Is the process alive? */
    get: operations['isLive'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Should it get traffic? */
    get: operations['isReady'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document */
    get: operations['getDescription'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This document as a page */
    get: operations['getDocumentation'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description An error, in the form of RFC 9457. The codes are stable; titles and details may change. */
    Problem: {
      /**
       * Format: uri
       * @description The kind of problem, as a URN.
       */
      type: string;
      /** @description The kind of problem, in words. */
      title: string;
      status: number;
      /** @description What happened here, and what to do next. */
      detail: string;
      /**
       * Format: uri
       * @description This request, as a URN.
       */
      instance: string;
      /**
       * @description What programs go by.
       * @enum {string}
       */
      code:
        | 'invalid_multipart'
        | 'missing_image'
        | 'unexpected_field'
        | 'too_many_files'
        | 'conflicting_credentials'
        | 'invalid_request'
        | 'missing_api_key'
        | 'invalid_api_key'
        | 'account_suspended'
        | 'signup_closed'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'account_exists'
        | 'image_too_large'
        | 'unsupported_media_type'
        | 'undecodable_image'
        | 'too_many_pixels'
        | 'headers_too_large'
        | 'rate_limited'
        | 'internal_error'
        | 'overloaded'
        | 'deadline_exceeded'
        | 'draining'
        | 'dependency_unavailable';
      /** @description Equal to the header `X-Request-Id`. */
      request_id: string;
      /** @description What is allowed, where a number helps. */
      limit?: number;
      /** @description What was found, where it is known. */
      actual?: number;
      /** @description Seconds, equal to `Retry-After`. */
      retry_after?: number;
    };
    /** @description A key at the moment of its making. */
    IssuedKey: {
      /**
       * Format: uuid
       * @description The account that the key belongs to.
       */
      accountId: string;
      /**
       * Format: uuid
       * @description Names the key when it is to be revoked.
       */
      keyId: string;
      /** @description The key itself, shown this once: only its digest is stored. */
      apiKey: string;
    };
    Account: {
      /**
       * Format: uuid
       * @description The account.
       */
      accountId: string;
      /** Format: email */
      email: string;
      /** @enum {string} */
      status: 'active' | 'suspended';
      /**
       * Format: date-time
       * @description When the account was opened.
       */
      createdAt: string;
      usage: {
        /** @description Images answered with 200. */
        images: number;
        /** @description Bytes of these images as uploaded. */
        bytesIn: number;
        /** @description What was saved of them. */
        bytesSaved: number;
      };
    };
    KeyList: {
      keys: {
        /**
         * Format: uuid
         * @description The key.
         */
        keyId: string;
        /** @description How the key begins, to tell keys apart. */
        displayPrefix: string;
        /**
         * Format: date-time
         * @description When the key was made.
         */
        createdAt: string;
        /**
         * Format: date-time
         * @description Null while it is live.
         */
        revokedAt: string | null;
      }[];
    };
    Health: {
      /** @enum {string} */
      status: 'ok' | 'error' | 'shutting_down';
      /** @description What is well. */
      info?: components['schemas']['Indicators'];
      /** @description What is not. */
      error?: components['schemas']['Indicators'];
      /** @description Both. */
      details: components['schemas']['Indicators'];
    };
    /** @description By name: `database`, `compression`, `lifecycle`. */
    Indicators: {
      [key: string]: {
        /** @enum {string} */
        status: 'up' | 'down';
      } & {
        [key: string]: unknown;
      };
    };
  };
  responses: never;
  parameters: {
    /**
     * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
     * @example checkout-7f3a
     */
    RequestId: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  compressImage: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
        /** @description Ask before sending a large body; `100 Continue` follows when all checks on the headers pass. */
        Expect?: '100-continue';
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /** @description The file: JPG or PNG, decided by its bytes, whatever its name or declared type. */
          image: Blob;
        };
      };
    };
    responses: {
      /** @description The image, in the format that it came in. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'image/jpeg': Blob;
          'image/png': Blob;
        };
      };
      /** @description `conflicting_credentials`: Two different API keys were sent. `invalid_multipart`: The multipart body cannot be read. `missing_image`: No image was sent. `unexpected_field`: The form has a field that is not expected. `too_many_files`: More than one file was sent. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?:
              | 'conflicting_credentials'
              | 'invalid_multipart'
              | 'missing_image'
              | 'unexpected_field'
              | 'too_many_files';
          };
        };
      };
      /** @description `missing_api_key`: An API key is needed. `invalid_api_key`: The API key is not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key';
          };
        };
      };
      /** @description `account_suspended`: The account is suspended. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_suspended';
          };
        };
      };
      /** @description `request_timeout`: The request took too long to arrive. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'request_timeout';
          };
        };
      };
      /** @description `image_too_large`: The image file is too large. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'image_too_large';
          };
        };
      };
      /** @description `unsupported_media_type`: Neither a JPG nor a PNG. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'unsupported_media_type';
          };
        };
      };
      /** @description `undecodable_image`: The image cannot be decoded. `too_many_pixels`: The image has too many pixels. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'undecodable_image' | 'too_many_pixels';
          };
        };
      };
      /** @description `rate_limited`: Too many requests. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'rate_limited';
          };
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description `overloaded`: The service is busy. `deadline_exceeded`: The image took too long. `draining`: This instance is stopping. `dependency_unavailable`: Something that the service needs is out of reach. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'overloaded' | 'deadline_exceeded' | 'draining' | 'dependency_unavailable';
          };
        };
      };
    };
  };
  signUp: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        /**
         * @example {
         *       "email": "you@example.com"
         *     }
         */
        'application/json': {
          /** Format: email */
          email: string;
          /** @description The invitation, where one is needed. */
          code?: string;
        };
      };
    };
    responses: {
      /** @description The account is open. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedKey'];
        };
      };
      /** @description `invalid_request`: The request cannot be understood. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'invalid_request';
          };
        };
      };
      /** @description `signup_closed`: Sign-up is not open. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'signup_closed';
          };
        };
      };
      /** @description `request_timeout`: The request took too long to arrive. */
      408: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'request_timeout';
          };
        };
      };
      /** @description `account_exists`: The account exists already. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_exists';
          };
        };
      };
      /** @description `rate_limited`: Too many requests. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'rate_limited';
          };
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description `dependency_unavailable`: Something that the service needs is out of reach. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'dependency_unavailable';
          };
        };
      };
    };
  };
  getAccount: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account that the key belongs to. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Account'];
        };
      };
      /** @description `conflicting_credentials`: Two different API keys were sent. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'conflicting_credentials';
          };
        };
      };
      /** @description `missing_api_key`: An API key is needed. `invalid_api_key`: The API key is not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key';
          };
        };
      };
      /** @description `account_suspended`: The account is suspended. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_suspended';
          };
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description `dependency_unavailable`: Something that the service needs is out of reach. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'dependency_unavailable';
          };
        };
      };
    };
  };
  listKeys: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All keys, revoked ones included. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['KeyList'];
        };
      };
      /** @description `conflicting_credentials`: Two different API keys were sent. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'conflicting_credentials';
          };
        };
      };
      /** @description `missing_api_key`: An API key is needed. `invalid_api_key`: The API key is not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key';
          };
        };
      };
      /** @description `account_suspended`: The account is suspended. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_suspended';
          };
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description `dependency_unavailable`: Something that the service needs is out of reach. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'dependency_unavailable';
          };
        };
      };
    };
  };
  createKey: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new key. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['IssuedKey'];
        };
      };
      /** @description `conflicting_credentials`: Two different API keys were sent. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'conflicting_credentials';
          };
        };
      };
      /** @description `missing_api_key`: An API key is needed. `invalid_api_key`: The API key is not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key';
          };
        };
      };
      /** @description `account_suspended`: The account is suspended. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_suspended';
          };
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description `dependency_unavailable`: Something that the service needs is out of reach. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'dependency_unavailable';
          };
        };
      };
    };
  };
  revokeKey: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description The `keyId` of a live key of this account. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `conflicting_credentials`: Two different API keys were sent. `invalid_request`: The request cannot be understood. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'conflicting_credentials' | 'invalid_request';
          };
        };
      };
      /** @description `missing_api_key`: An API key is needed. `invalid_api_key`: The API key is not valid. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key';
          };
        };
      };
      /** @description `account_suspended`: The account is suspended. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_suspended';
          };
        };
      };
      /** @description `not_found`: There is nothing here. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'not_found';
          };
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description `dependency_unavailable`: Something that the service needs is out of reach. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'dependency_unavailable';
          };
        };
      };
    };
  };
  isLive: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The event loop answers; nothing else is asked. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
    };
  };
  isReady: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The database answers, workers are ready, and the service is not stopping. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
      /** @description One of these does not hold. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
    };
  };
  getDescription: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1, with the limits of this deployment. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': Record<string, never>;
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
    };
  };
  getDocumentation: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own name for the request, up to 128 letters, digits and `. _ : -`. Echoed, and written to the log.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The same to read: no script, nothing from elsewhere. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description `headers_too_large`: The request headers are too large. */
      431: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'headers_too_large';
          };
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'internal_error';
          };
        };
      };
    };
  };
}
