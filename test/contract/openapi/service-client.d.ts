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
     * @description Send a JPG or PNG and get a smaller image that looks the same. A file that cannot be made smaller is returned unchanged.
     *
     *     The file may have up to 20 MiB and 268 megapixels; if its longer side exceeds 3840 px, it is scaled down. An account may compress 20 images per minute.
     *
     *     The body of a refused request is discarded and the connection is closed. Send `Expect: 100-continue` to avoid uploading a body that will be refused.
     *
     *     ### Response headers
     *
     *     - `X-Original-Size`: Size of the uploaded file in bytes.
     *     - `X-Compressed-Size`: Size of the returned file in bytes.
     *     - `X-Bytes-Saved`: The difference in bytes; 0 if scaling down made the file larger.
     *     - `X-SSIM`: Similarity of the returned pixels to the original; 1.0000 if no pixel changed.
     *     - `X-Original-Dimensions`: Width and height of the uploaded image in pixels, after EXIF rotation.
     *     - `X-Dimensions`: Width and height of the returned image in pixels.
     *     - `Server-Timing`: Milliseconds spent in `queue`, `decode`, `search`, `encode` and `verify`.
     *     - `ETag`: A strong validator: the SHA-256 digest of the body in base64url.
     *     - `X-Quality`: The JPG quality that the search found, from 1 to 100. After a lossless rewrite, the estimated quality of the upload. Absent for PNG and for skipped images.
     *     - `X-Max-Error`: For PNG: the largest difference of any channel of any pixel, on a scale of 0 to 255; 0 if no pixel changed. Absent for JPG and for PNG with a new palette.
     *     - `X-Skipped`: Present only if the body is the uploaded file, byte for byte.
     *     - `X-Skip-Reason`: Why the file was returned unchanged: `already-optimised` (no result was sufficiently smaller), `animated` (animations are not compressed), `motion-photo` (the file contains a video that this service is configured to keep), `multi-picture` (the file contains further images that this service is configured to keep).
     *     - `X-Removed`: What was removed besides metadata, separated by commas: motion-video (the video of a motion photo), other-pictures (further images of the same scene, such as a depth map), gain-map (the HDR gain map). Absent when nothing else was removed.
     *     - `X-Cache`: Present when the same bytes were compressed before, or at the same time, and the result was remembered: the headers about the image are those of the first response. Only with `CACHE_MB`.
     *     - `X-Budget`: With `max_bytes`: `met` (the result fits), `missed` (no result fits, and `allow=any` asked for the smallest).
     *     - `X-JPEG-Estimate`: Of an opaque PNG that shows a photo: bytes that it would take as a JPG of the same quality, estimated. Absent unless that is much smaller. The service never converts it.
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
     * Create an account
     * @description Creates an account and its first key. Sign-up is open. An IP address may open 100 accounts and trials per hour.
     */
    post: operations['signUp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/trials': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a trial account
     * @description Creates an account without an e-mail address, and its key. It is valid for a day and 10 images; only images that are returned count. An IP address may open 100 accounts and trials per hour.
     */
    post: operations['openTrial'];
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
    /** Get the account and its usage */
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
    /**
     * List API keys
     * @description Lists active keys and the newest revoked ones, oldest first. The text of a key is not part of the list.
     */
    get: operations['listKeys'];
    put?: never;
    /**
     * Create an API key
     * @description To rotate a key, create a new one, switch your clients to it, then revoke the old one. An account can have 20 active keys.
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
     * Revoke an API key
     * @description The key stops working at once, on every replica. A key may revoke itself.
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
    /** Check liveness */
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
    /** Check readiness */
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
    /** Get the OpenAPI document */
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
    /** Read the API reference */
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
    /** @description An error as defined by RFC 9457. Codes are stable; titles and details may change. */
    Problem: {
      /**
       * Format: uri
       * @description The type of problem, as a URN.
       */
      type: string;
      /** @description The type of problem, in words. */
      title: string;
      status: number;
      /** @description What is wrong with this request, and what to do. */
      detail: string;
      /**
       * Format: uri
       * @description This request, as a URN.
       */
      instance: string;
      /**
       * @description Identifies the type of problem; use it in programs.
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
        | 'trial_expired'
        | 'trial_used_up'
        | 'account_suspended'
        | 'signup_closed'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'account_exists'
        | 'too_many_keys'
        | 'image_too_large'
        | 'unsupported_media_type'
        | 'undecodable_image'
        | 'too_many_pixels'
        | 'budget_unreachable'
        | 'headers_too_large'
        | 'rate_limited'
        | 'internal_error'
        | 'overloaded'
        | 'deadline_exceeded'
        | 'draining'
        | 'dependency_unavailable';
      /** @description Equal to the header `X-Request-Id`. */
      request_id: string;
      /** @description The limit that was exceeded. */
      limit?: number;
      /** @description The value that exceeded the limit, if known. */
      actual?: number;
      /** @description Seconds to wait before you retry; equal to `Retry-After`. */
      retry_after?: number;
    };
    /** @description A new API key. */
    IssuedKey: {
      /**
       * Format: uuid
       * @description The account that the key belongs to.
       */
      accountId: string;
      /**
       * Format: uuid
       * @description Identifies the key, for example to revoke it.
       */
      keyId: string;
      /** @description The API key. It is shown only once; the service stores only its digest. */
      apiKey: string;
    };
    /** @description A trial account at the moment of its making. */
    IssuedTrial: {
      /**
       * Format: uuid
       * @description The trial account.
       */
      accountId: string;
      /**
       * Format: uuid
       * @description The key.
       */
      keyId: string;
      /** @description The key itself, shown this once: only its digest is stored. */
      apiKey: string;
      /** @description Images that may be compressed. */
      images: number;
      /**
       * Format: date-time
       * @description When the key stops working.
       */
      expiresAt: string;
    };
    Account: {
      /**
       * Format: uuid
       * @description The account.
       */
      accountId: string;
      /**
       * Format: email
       * @description Null for a trial.
       */
      email: string | null;
      /** @enum {string} */
      status: 'active' | 'suspended';
      /**
       * Format: date-time
       * @description When the account was created.
       */
      createdAt: string;
      usage: {
        /** @description Images returned with status 200. */
        images: number;
        /** @description Size of their uploaded files in bytes. */
        bytesIn: number;
        /** @description Bytes saved on them. */
        bytesSaved: number;
      };
      /** @description Null for an account that was signed up for. */
      trial: {
        /** @description Images that may still be compressed. */
        imagesLeft: number;
        /**
         * Format: date-time
         * @description When the keys of the account stop working.
         */
        expiresAt: string;
      } | null;
    };
    KeyList: {
      keys: {
        /**
         * Format: uuid
         * @description The key.
         */
        keyId: string;
        /** @description The beginning of the key. */
        displayPrefix: string;
        /**
         * Format: date-time
         * @description When the key was created.
         */
        createdAt: string;
        /**
         * Format: date-time
         * @description When the key was revoked; null if it is active.
         */
        revokedAt: string | null;
      }[];
      /** @description The value of `after` for the next page; null on the last page. */
      next: string | null;
    };
    Health: {
      /** @enum {string} */
      status: 'ok' | 'error' | 'shutting_down';
      /** @description The indicators that are up. */
      info?: components['schemas']['Indicators'];
      /** @description The indicators that are down. */
      error?: components['schemas']['Indicators'];
      /** @description All indicators. */
      details: components['schemas']['Indicators'];
    };
    /** @description Indicators by name: `database`, `compression`, `rate_limits`, `lifecycle`. */
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
     * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
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
      query?: {
        /** @description What the result has to look like: `low`, `medium`, `high`, `very-high`, or a score from 0.9 to 0.9999. */
        quality?: string;
        /** @description The longer side of the result in pixels, at most. A larger image is scaled down. */
        max_dimension?: number;
        /** @description What a rewritten file keeps of its metadata: `none`; `copyright`, who made and owns it; `all`, everything that is still true of it. */
        metadata?: 'none' | 'copyright' | 'all';
        /** @description Time against bytes, at the same quality. */
        effort?: 'fast' | 'balanced' | 'max';
        /** @description The result has to fit into so many bytes: `200000`, `200kB`, `1.5MB`. Where the usual result is larger, its quality is lowered, to `low` at most, and then its dimensions. `X-Budget` says whether it fits; 422 `budget_unreachable` when nothing does. */
        max_bytes?: string;
        /** @description With `max_bytes`: `any` accepts a quality below `low`, and the smallest result where none fits. */
        allow?: 'any';
      };
      header?: {
        /**
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
        /** @description Wait for permission before you send a large body: the service sends `100 Continue` once all checks on the headers have passed. */
        Expect?: '100-continue';
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /**
           * Format: binary
           * @description A JPG or PNG file. Its bytes determine the format; its name and declared type are ignored.
           */
          image: Blob;
        };
      };
    };
    responses: {
      /** @description The compressed image, in the format of the upload. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'image/jpeg': Blob;
          'image/png': Blob;
        };
      };
      /** @description `conflicting_credentials`: Two different API keys were sent. `invalid_request`: The request cannot be understood. `invalid_multipart`: The multipart body cannot be read. `missing_image`: No image was sent. `unexpected_field`: The form has an unexpected field. `too_many_files`: More than one file was sent. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?:
              | 'conflicting_credentials'
              | 'invalid_request'
              | 'invalid_multipart'
              | 'missing_image'
              | 'unexpected_field'
              | 'too_many_files';
          };
        };
      };
      /** @description `missing_api_key`: An API key is required. `invalid_api_key`: The API key is not valid. `trial_expired`: The trial has expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key' | 'trial_expired';
          };
        };
      };
      /** @description `account_suspended`: The account is suspended. `trial_used_up`: The trial is used up. */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'account_suspended' | 'trial_used_up';
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
      /** @description `undecodable_image`: The image cannot be decoded. `too_many_pixels`: The image has too many pixels. `budget_unreachable`: The image does not fit into max_bytes. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'undecodable_image' | 'too_many_pixels' | 'budget_unreachable';
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `draining`: This instance is stopping. `overloaded`: The service is busy. `dependency_unavailable`: A dependency of the service is unavailable. `deadline_exceeded`: The image took too long. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'draining' | 'overloaded' | 'dependency_unavailable' | 'deadline_exceeded';
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
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
          /** @description The invitation code, if sign-up needs one. */
          code?: string;
        };
      };
    };
    responses: {
      /** @description The new account and its first key. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accountId": "6f1c2a3e-52f4-4c53-9c0d-6f0f3f6f7a10",
           *       "keyId": "b7a4c9d2-1f0e-4f7b-8a55-2d7c7f1f4c21",
           *       "apiKey": "ics_SRpU8EFPonYNkhQmbcGATRlxB3L2oZh03"
           *     }
           */
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
      /** @description `account_exists`: The account already exists. */
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `dependency_unavailable`: A dependency of the service is unavailable. */
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
  openTrial: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The trial is open. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "accountId": "6f1c2a3e-52f4-4c53-9c0d-6f0f3f6f7a10",
           *       "keyId": "b7a4c9d2-1f0e-4f7b-8a55-2d7c7f1f4c21",
           *       "apiKey": "ics_SRpU8EFPonYNkhQmbcGATRlxB3L2oZh03",
           *       "images": 10,
           *       "expiresAt": "2026-03-03T09:14:07.512Z"
           *     }
           */
          'application/json': components['schemas']['IssuedTrial'];
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `dependency_unavailable`: A dependency of the service is unavailable. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
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
          /**
           * @example {
           *       "accountId": "6f1c2a3e-52f4-4c53-9c0d-6f0f3f6f7a10",
           *       "email": "you@example.com",
           *       "status": "active",
           *       "createdAt": "2026-03-02T09:14:07.512Z",
           *       "usage": {
           *         "images": 1284,
           *         "bytesIn": 4113802119,
           *         "bytesSaved": 2871440906
           *       },
           *       "trial": null
           *     }
           */
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
      /** @description `missing_api_key`: An API key is required. `invalid_api_key`: The API key is not valid. `trial_expired`: The trial has expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key' | 'trial_expired';
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `dependency_unavailable`: A dependency of the service is unavailable. */
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
      query?: {
        /** @description The value of `next` from the previous page. */
        after?: string;
      };
      header?: {
        /**
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of keys. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          /**
           * @example {
           *       "keys": [
           *         {
           *           "keyId": "b7a4c9d2-1f0e-4f7b-8a55-2d7c7f1f4c21",
           *           "displayPrefix": "ics_SRpU8E",
           *           "createdAt": "2026-03-02T09:14:07.512Z",
           *           "revokedAt": null
           *         }
           *       ],
           *       "next": null
           *     }
           */
          'application/json': components['schemas']['KeyList'];
        };
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
      /** @description `missing_api_key`: An API key is required. `invalid_api_key`: The API key is not valid. `trial_expired`: The trial has expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key' | 'trial_expired';
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `dependency_unavailable`: A dependency of the service is unavailable. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
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
          /**
           * @example {
           *       "accountId": "6f1c2a3e-52f4-4c53-9c0d-6f0f3f6f7a10",
           *       "keyId": "b7a4c9d2-1f0e-4f7b-8a55-2d7c7f1f4c21",
           *       "apiKey": "ics_SRpU8EFPonYNkhQmbcGATRlxB3L2oZh03"
           *     }
           */
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
      /** @description `missing_api_key`: An API key is required. `invalid_api_key`: The API key is not valid. `trial_expired`: The trial has expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key' | 'trial_expired';
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
      /** @description `too_many_keys`: The account has too many keys. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'too_many_keys';
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `dependency_unavailable`: A dependency of the service is unavailable. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description The `keyId` of an active key of this account. */
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
      /** @description `missing_api_key`: An API key is required. `invalid_api_key`: The API key is not valid. `trial_expired`: The trial has expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'] & {
            /** @enum {string} */
            code?: 'missing_api_key' | 'invalid_api_key' | 'trial_expired';
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
      /** @description `not_found`: Not found. */
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
      /** @description `internal_error`: Internal error. */
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
      /** @description `dependency_unavailable`: A dependency of the service is unavailable. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The event loop responds; nothing else is checked. */
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
      /** @description `internal_error`: Internal error. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The database responds, workers are ready, and the process is not shutting down. */
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
      /** @description `internal_error`: Internal error. */
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
      /** @description One of these conditions is not met. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
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
      /** @description `internal_error`: Internal error. */
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
         * @description Your own id of the request: up to 128 letters, digits and `. _ : -`. The response repeats it, and the log has it.
         * @example checkout-7f3a
         */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document as a page: navigation, code samples, and requests to try with your key. It loads nothing from elsewhere. */
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
      /** @description `internal_error`: Internal error. */
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
