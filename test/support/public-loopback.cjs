/** Loaded into a service before its code: 127.0.0.1 stands for a public address, so that tests can fetch from it. */
const publicAddress = require('../../dist/tinify/infrastructure/public-address.js');

const { isPublicAddress } = publicAddress;
publicAddress.isPublicAddress = (address) => address === '127.0.0.1' || isPublicAddress(address);
